// Keys of every page, put in place once: ? lists them, g and a letter goes to a page, Enter opens what the page offers to open.
(() => {
  if (window.rackKeys) return;
  window.rackKeys = true;
  const pages = () => [...document.querySelectorAll("nav.rk-pages a[data-key]")];  // of every place: only one row is shown
  const nameOf = (link) => link.pathname.split("/").pop();
  const typing = (target) => target.closest?.('input, textarea, select, [contenteditable="true"], [role="listbox"]');

  const help = document.createElement("dialog");
  help.id = "rack-keys";
  document.body.append(help);
  const row = (keys, words) => {
    const line = document.createElement("div");
    for (const key of keys) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      line.append(cap);
    }
    line.append(words);
    return line;
  };
  const list = () => {
    help.setAttribute("aria-label", "Keys");
    const title = document.createElement("h2");
    title.textContent = "Keys";
    const rows = [row(["?"], "This list"), row(["Enter"], "Open the round of the incident"), row(["J"], "Next in the queue"),
      row(["K"], "Previous in the queue"), ...Object.entries(ACTIONS).map(([key, words]) => row([key.toUpperCase()], words)),
      row(["Enter"], "In a form: store"), row(["Z"], "Undo, for ten seconds"), row(["N"], "From a round to the next in the queue"), row(["←", "→"], "Step back, step on"), row(["P"], "Play or pause"),
      row(["E"], "Next evidence"), row(["Esc"], "Close")];
    for (const link of pages()) rows.push(row(["g", link.dataset.key], link.textContent.trim()));
    help.replaceChildren(title, ...rows);
    help.showModal();
  };

  // A key chooses what is done about an incident, and goes to the first box that is to be filled in; Enter there stores.
  const ACTIONS = { a: "Assign", r: "Resolve", s: "Sign", c: "Acknowledge", m: "Note", o: "Reopen" };
  // Until the page is drawn, the key waits for its button.
  let opening = 0;
  const isWorked = () => ["queue", "round"].includes(nameOf(location));
  let sent = 0;
  const isDrawing = () => Date.now() < sent + 400 || document.querySelector('.stApp[data-test-script-state="running"]');
  const chosenAct = (key) => [...document.querySelectorAll(".st-key-act .stButtonGroup :is(button, label)")].find((each) => each.textContent.trim() === ACTIONS[key]);
  const act = (event) => {
    const key = event.key.toLowerCase();
    if (!chosenAct(key) && !isWorked()) return;
    event.preventDefault();
    event.stopImmediatePropagation();  // R alone has Streamlit draw the page again
    const until = opening = Date.now() + 10_000;
    let quiet = 0;  // between one page and the next, none is drawn for a moment
    const wait = () => {
      if (opening !== until) return;  // another key was pressed
      const choice = isDrawing() ? null : chosenAct(key);
      quiet = isDrawing() ? 0 : quiet + 40;
      if (!choice && quiet < 1000 && Date.now() < until) return setTimeout(wait, 40);
      opening = 0;
      if (choice) choose(choice, key);
    };
    wait();
  };
  // Enter leaves the box: the next key is meant for the next incident.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.closest?.(".st-key-act [data-testid=stForm] .stTextInput")) return;
    sent = Date.now();
    setTimeout(() => event.target.blur(), 0);
  }, true);
  const isOn = (choice) => choice?.matches('[aria-checked="true"], [data-selected], :has(input:checked)') || choice?.dataset.testid?.endsWith("Active");
  const choose = (choice, key) => {
    const isChosen = isOn(choice), began = Date.now(), end = opening = began + 10_000;
    if (!isChosen) choice.click();
    const before = isChosen ? null : document.querySelector(".st-key-act form, .st-key-act [data-testid=stForm]");
    const look = () => {
      if (opening !== end) return;
      const form = document.querySelector(".st-key-act [data-testid=stForm]");
      const isSame = Date.now() > began + 500 && !isDrawing() && isOn(chosenAct(key));  // its form was there already
      const box = (form !== before || isSame) && (form?.querySelector("input[type=text]") ?? (isChosen ? document.querySelector(".st-key-act input") : null));
      if (!box) return Date.now() < end ? setTimeout(look, 40) : (opening = 0);
      opening = 0;
      box.focus();
      box.select?.();
      stay(box, Date.now() + 1000);
    };
    look();
  };
  // A page that is still being drawn may put another box in the place of the one that is typed in.
  const stay = (box, end) => {
    if (box.isConnected ? document.activeElement !== box : document.activeElement !== document.body) return;
    const next = box.isConnected ? box : document.querySelector(".st-key-act [data-testid=stForm] input[type=text]");
    if (next && next !== box) next.focus();
    if (Date.now() < end || isDrawing()) setTimeout(() => stay(next ?? box, end), 40);
  };

  // J and K wait for the list, one after the other.
  const early = [];
  const hasList = () => document.querySelector(".rk-incidents tbody tr");
  const move = (event) => {
    event.preventDefault();
    if (early.push(event.key) > 1) return;
    const until = Date.now() + 10_000;
    const wait = () => {
      if (!hasList() && Date.now() < until) return setTimeout(wait, 40);
      for (const key of early.splice(0)) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    };
    wait();
  };

  const take = (event, link) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    link.click();
  };
  const follow = (event, selector) => {
    const link = document.querySelector(selector);
    if (link) take(event, link);
  };

  // A round that an earlier sentence found is not opened: its patron says something else by now.
  const isCurrent = (element) => {
    const hits = element.closest(".rk-hits"), box = document.querySelector('input[aria-label="What the patron remembers"]');
    return !hits || !box || box.value.trim() === hits.dataset.sentence;
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest || isCurrent(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // Of points of a chart that lie one upon another, the reader chooses; the keyboard reaches each by Tab.
  document.addEventListener("click", (event) => {
    const links = event.detail && event.target.closest?.("a.rk-point-link") ? document.elementsFromPoint(event.clientX, event.clientY)
      .filter((each) => each.matches("a.rk-point-link")) : [];
    if (links.length < 2 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    help.setAttribute("aria-label", "Points here");
    help.replaceChildren(...links.map((link) => {
      const line = document.createElement("div"), copy = document.createElement("a");
      copy.href = link.href;
      copy.textContent = link.ariaLabel;
      copy.addEventListener("click", (chosen) => {
        chosen.preventDefault();
        help.close();
        link.click();
      });
      line.append(copy);
      return line;
    }));
    help.showModal();
  });

  // A link to another page or round is followed as Back and Forward are, without a new start of everything, which takes longer
  // than a page (app.py, _begin_anew).
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('.stMain a[href]:not([target="_blank"])');
    if (!link || link.hasAttribute("download") || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const elsewhere = link.pathname !== location.pathname || ["round", "dispute"].includes(nameOf(link));
    if (link.origin !== location.origin || !pages().some((page) => page.pathname === link.pathname) || !elsewhere) return;
    event.preventDefault();
    (window.rackPush ?? history.pushState.bind(history))({}, "", link.href);
    window.dispatchEvent(new PopStateEvent("popstate"));
    document.querySelector(".stMain").scrollTo(0, 0);
  });

  // The second press of a double click stores nothing again; nor does a key that is held.
  const STORES = '[data-testid="stFormSubmitButton"] button, .stButton button[kind="primary"], .stButton [data-testid="stBaseButton-primary"]';
  const stopAgain = (event, isAgain, places) => {
    if (!isAgain || !event.target.closest?.(places)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("click", (event) => stopAgain(event, event.detail > 1, STORES), true);
  document.addEventListener("keydown", (event) => {
    stopAgain(event, event.repeat && event.key === "Enter", `${STORES}, [data-testid="stForm"] input`);
  }, true);

  let waits = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const chosen = Date.now() - waits < 1500;
    waits = 0;
    if (event.key === "?") {
      event.preventDefault();
      help.open ? help.close() : list();
    } else if (event.key === "g") {
      waits = Date.now();
    } else if (chosen) {
      const link = pages().find((each) => each.dataset.key === event.key);
      if (link) take(event, link);
    } else if (/^[jk]$/i.test(event.key) && event.isTrusted && nameOf(location) === "queue" && !hasList()) {
      move(event);
    } else if (event.key.toLowerCase() in ACTIONS) {
      act(event);
    } else if (event.key === "Enter" && Date.now() < opening) {
      event.preventDefault();  // the form that it is meant for is on its way
    } else if (event.key === "n") {
      follow(event, "a.rk-next");
    } else if (event.key === "Enter" && !event.target.closest?.("a, button, summary, [role=button], [role=radio], [role=tab]")) {
      follow(event, "a.rk-enter");
    }
  }, true);

  // A list that is longer than its box shows the option that is chosen, as soon as all of the list is drawn.
  const LOOK_MS = 100, LOOKS = 300;
  const show = (name) => {
    const option = document.querySelector(`.st-key-${name} label:has(input:checked)`);
    let pane = option?.parentElement;
    while (pane && !(pane.scrollHeight > pane.clientHeight + 4 && getComputedStyle(pane).overflowY !== "visible")) pane = pane.parentElement;
    if (pane?.closest(`.st-key-${name}, [data-testid="stTabs"]`)) {
      pane.scrollTop += option.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
    }
  };
  window.rackSight = (name) => {
    let before = 0, looks = 0;
    const look = () => {
      const drawn = [...document.querySelectorAll(`.st-key-${name} label`)].filter((each) => each.getClientRects().length).length;
      if (drawn && drawn === before) return show(name);
      before = drawn;
      if (++looks < LOOKS) setTimeout(look, LOOK_MS);
    };
    look();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest?.('[role="tab"]')) window.rackSight("moves");  // a slow page draws the list later
  }, true);

  // What is typed into a draft's box stays in the browser, for who is signed in, until it is stored or emptied (parts/drafts.py).
  const draftOf = (element) => {
    const name = /\bst-key-(draft-[\w-]+)/.exec(element.closest?.('[class*="st-key-draft-"]')?.className ?? "")?.[1];
    const kept = name && keptAs(name);
    return kept && element.tagName === "INPUT" ? `${kept} ${element.ariaLabel}` : kept;
  };
  const keptAs = (name) => {
    const person = document.querySelector(".rk-who")?.textContent.trim();
    return person && `rack-${person}-${name}`;  // while a page goes away it names no one, and nothing is kept for no one
  };
  const CARD_NUMBER = /(\d[ -]?){13}/;
  const keep = (name, words) => words.trim() && !CARD_NUMBER.test(words) ? localStorage.setItem(name, words) : localStorage.removeItem(name);
  const seen = new WeakMap(), stored = new Map(), typed = new WeakSet();
  const put = (box, words) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), "value").set.call(box, words);
    box.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "draft" }));
    box.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };
  const DRAFTS = '[class*="st-key-draft-"] :is(textarea, .stTextInput input[type="text"])';
  const draftBoxes = () => [...document.querySelectorAll(DRAFTS)];
  const tendDrafts = () => {
    for (const mark of document.querySelectorAll("[data-draft-stored]")) {
      const name = keptAs(mark.dataset.draftStored);
      if (!name || seen.has(mark)) continue;
      seen.set(mark, "");
      for (const key of Object.keys(localStorage).filter((each) => each === name || each.startsWith(`${name} `))) {
        stored.set(key, localStorage.getItem(key));
        localStorage.removeItem(key);
      }
    }
    for (const box of draftBoxes()) {
      const name = draftOf(box);
      if (!name || seen.get(box) === name) continue;
      seen.set(box, name);
      const kept = localStorage.getItem(name), aside = localStorage.getItem(`${name}-aside`);
      if (aside && aside !== (kept || box.value)) offerOther(box, name, "in another tab you wrote another text, which is not stored.", aside);
      if (!kept || kept === box.value) {
        // A box that goes away may be drawn once more; what is in a line before anybody types is proposed by the page.
        if (box.tagName !== "INPUT" && box.value !== stored.get(name)) keep(name, box.value);
        continue;
      }
      put(box, kept);
    }
  };
  document.addEventListener("input", (event) => {
    const name = event.target.matches?.(DRAFTS) && draftOf(event.target);
    if (!name) return;
    keep(name, event.target.value);
    if (event.detail !== "draft") typed.add(event.target);
  });

  // The same draft in another tab: its text is offered here. What was written here and is in no other place is kept aside.
  const strip = document.createElement("div");
  strip.id = "rack-other-tab";
  strip.setAttribute("role", "status");
  document.body.append(strip);
  const offerOther = (box, name, words, other) => {
    const button = (label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.addEventListener("click", () => {
        strip.replaceChildren();
        localStorage.removeItem(`${name}-aside`);
        act();
      });
      return made;
    };
    strip.replaceChildren(`${box.ariaLabel}: ${words} What is written here stays here.`,
      ...(other ? [button("Use the other text", () => put(draftBoxes().find((each) => draftOf(each) === name) ?? box, other))] : []),
      button("Keep this text", () => keep(name, box.value)));
  };
  window.addEventListener("storage", ({ key, newValue }) => {
    const box = draftBoxes().find((each) => draftOf(each) === key);
    if (!box || (newValue ?? "") === box.value) return;
    if (typed.has(box) && box.value.trim()) localStorage.setItem(`${key}-aside`, box.value);
    offerOther(box, key, newValue ? "you are writing this in another tab, too." : "this was stored or cleared in another tab.", newValue);
  });
  new MutationObserver(tendDrafts).observe(document.body, { childList: true, subtree: true });
  tendDrafts();

  // A link that a redraw replaces between press and release is followed all the same: the browser would send no click.
  let pressed = null;
  document.addEventListener("pointerdown", (event) => {
    const link = event.button === 0 && event.target.closest?.(".stMain a[href]");
    pressed = link && isCurrent(link) ? { link, x: event.clientX, y: event.clientY } : null;
  }, true);
  document.addEventListener("pointerup", (event) => {
    const held = pressed;
    pressed = null;
    if (!held || held.link.isConnected && held.link.contains(event.target)) return;
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > 8) return;
    const copy = held.link.cloneNode(true);
    copy.hidden = true;
    document.querySelector(".stMain").append(copy);
    copy.click();
    copy.remove();
  }, true);

  // What can be corrected now: how many wait is in the title of the tab, and a new one sounds where somebody switched the sound on.
  const rung = new Set();
  let audio = null;
  const SOUND = "rack-alarm-sound";
  const ring = () => {
    audio ??= new AudioContext();
    for (const [at, pitch] of [[0, 880], [0.25, 660], [0.5, 880]]) {
      const tone = audio.createOscillator();
      tone.frequency.value = pitch;
      tone.connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.18);
    }
  };
  const tellNew = () => {
    const place = document.querySelector("[data-alarms]"), isOn = localStorage.getItem(SOUND) === "on";
    const count = Number(place?.dataset.alarms ?? 0), plain = document.title.replace(/^\(\d+\) /, "");
    const title = count ? `(${count}) ${plain}` : plain;
    if (document.title !== title) document.title = title;
    const fresh = (place?.dataset.ids ?? "").split(" ").filter((id) => id && !rung.has(id));
    for (const id of fresh) rung.add(id);
    if (fresh.length && isOn) ring();
    const button = place?.querySelector("[data-alarm-sound]");
    if (button && button.textContent !== (isOn ? "Sound on" : "Sound off")) button.textContent = isOn ? "Sound on" : "Sound off";
  };
  setInterval(tellNew, 500);
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-alarm-sound]")) return;
    localStorage.setItem(SOUND, localStorage.getItem(SOUND) === "on" ? "off" : "on");
    if (localStorage.getItem(SOUND) === "on") ring();
    tellNew();
  });

  // A heading sorts its table: the first time numbers from the largest and words from A, then the other way round.
  const numberOf = (cell) => {
    const found = /[−-]?\$?[\d,]*\.?\d+/.exec((cell.querySelector("div") ?? cell).textContent.trim());
    return found ? Number(found[0].replace("−", "-").replace(/[$,]/g, "")) : -Infinity;
  };
  document.addEventListener("click", (event) => {
    const heading = event.target.closest?.("button.rk-sort")?.closest("th");
    if (!heading) return;
    const body = heading.closest("table").querySelector("tbody");
    const place = [...heading.parentElement.children].indexOf(heading);
    const numbers = heading.classList.contains("rk-number");
    const was = heading.getAttribute("aria-sort");
    const down = was ? was === "ascending" : numbers;
    const order = (one, other) => numbers
      ? numberOf(one.children[place]) - numberOf(other.children[place])
      : one.children[place].textContent.localeCompare(other.children[place].textContent, undefined, { numeric: true });
    const rows = [...body.children].sort((one, other) => (down ? -1 : 1) * order(one, other));
    for (const each of heading.parentElement.children) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows);
  });

  // Streamlit says on the app alone whether the reader has a light page or a dark one; menus and messages stand beside the app.
  const app = document.querySelector(".stApp");
  const followTheme = () => { document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme; };
  // It keeps the reader's choice for the address alone that was opened: here it is that of every page.
  const opened = new URL(performance.getEntriesByType("navigation")[0].name).pathname;
  const shareTheme = () => {
    const base = opened.slice(0, opened.lastIndexOf("/") + 1);
    const keysOf = (path) => Object.keys(localStorage).filter((key) => key.startsWith(`stActiveTheme-${path}-v`));
    const chosen = keysOf(opened).map((key) => [key.slice(`stActiveTheme-${opened}`.length), localStorage.getItem(key)]);
    for (const path of ["", ...pages().map(nameOf)].map((page) => base + page)) {
      if (path === opened) continue;
      for (const key of keysOf(path)) localStorage.removeItem(key);
      for (const [version, choice] of chosen) localStorage.setItem(`stActiveTheme-${path}${version}`, choice);
    }
  };
  if (app) {
    new MutationObserver(() => { followTheme(); setTimeout(shareTheme, 0); }).observe(app, { attributeFilter: ["class"] });
    followTheme();
  }

  // A print says when it was made, by the property's clock.
  window.addEventListener("beforeprint", () => {
    for (const place of document.querySelectorAll("[data-printed]")) {
      const zone = place.dataset.printed || "UTC";
      const at = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "long", timeZone: zone });
      place.textContent = at.format(new Date());
    }
  });
})();
