// The felt: a round typed as it was seen, the transcript that it makes, and the answer beside it. It judges nothing: whoever mounts
// it says what the answer to a text is. No file is fetched; what people type is set as text, never as markup.

const RANKS = "23456789TJQKA";
const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };
const NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" };
const TOKEN = /(10|[2-9tjqka])([shdc])|\*|jk|\?\??|\/|h|\s+/iy;
const BEFORE_THE_DEAL = new Set(["table", "round", "day", "at", "dealer", "shift", "equipment", "deck", "dice_set", "device", "covers",
  "shuffle", "offer_cut", "cut", "recut_ordered", "offer_position", "seated", "cover_card", "armed", "contributed", "accepted",
  "no_more_bets", "lock", "lammer", "shake", "dice", "number", "total", "activate", "action", "pile", "burn"]);
const AT_THE_END = new Set(["close", "collect"]);
const VERDICTS = { UPHELD: ["✔", "upheld"], VARIANCE: ["▼", "variance"], VOID: ["∅", "void"], UNDETERMINED: ["?", "unknown"] };

// ------------------------------------------------------------------------------------------------------- what was typed

const named = (rank, suit) => (rank === "10" ? "T" : rank.toUpperCase()) + suit.toLowerCase();

/** Cards as typed: `AsQd Th * ? / 5s2d h`. A slash parts the hands that were set, a last h says that the house way set them. */
export function readCards(raw) {
  const read = { cards: [], cuts: [], houseWay: false, pending: "" };
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < raw.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(raw);
    if (!token) break;
    at = TOKEN.lastIndex;
    if (token[1]) read.cards.push(named(token[1], token[2]));
    else if (token[0] === "*" || /^jk$/i.test(token[0])) read.cards.push("Jk");
    else if (token[0][0] === "?") read.cards.push("??");
    else if (token[0] === "/") read.cuts.push(read.cards.length);
    else if (/^h$/i.test(token[0])) read.houseWay = true;
  }
  read.pending = raw.slice(at);
  return read;
}

/** Amount in cents; null if it is none. `1,000.00`, `25`, `$2.5` */
export function readCents(word) {
  const plain = word.replace(/^\$/, "").replace(/,(?=\d{3}(\D|$))/g, "");
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  const [whole, part = ""] = plain.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

export const money = (cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;

/** Wagers as typed: a letter and an amount each, `b25 a10`; a number after # (`m5#4`). What is not understood is in `pending`. */
export function readWagers(raw, form) {
  const wagers = [];
  const pending = raw.replace(/([a-z])\s*(\$?[\d.,]*\d)?(?:#([1-6?]))?\s*/gi, (whole, letter, amount, number) => {
    const wager = form.wagers.find((each) => each.letter === letter.toLowerCase());
    const cents = amount === undefined ? null : readCents(amount);
    if (!wager) return whole;
    wagers.push({ ...wager, cents, pip: wager.number ? number ?? "?" : null });
    return "";
  });
  return { wagers, pending: pending.trim() };
}

/** What was seen of each wager, in their order: t taken, r returned (push), p and an amount paid (p= even money), - not seen. */
export function readOutcomes(raw, wagers) {
  const outcomes = [];
  const pending = raw.replace(/(t|r|-)\s*|p\s*(=|\$?[\d.,]*\d)?\s*/gi, (whole, plain, amount) => {
    const wager = wagers[outcomes.length];
    if (!wager) return whole;
    const how = plain ? plain.toLowerCase() : "p";
    const cents = how === "p" ? (amount === "=" ? wager.cents : amount === undefined ? null : readCents(amount)) : wager.cents;
    outcomes.push({ how, cents });
    return "";
  });
  return { outcomes, pending: pending.trim() };
}

// -------------------------------------------------------------------------------------------------- to a transcript and back

const positions = (form) => Array.from({ length: form.seats }, (_, index) => String(index + 1));
const emptySeat = () => ({ cards: "", wagers: "", outcomes: "",  });

export function emptyEntry(form) {
  return { chapter: form.key, files: {}, rules: "", bank: "", dealer: "", more: "", asText: "",
    seats: Object.fromEntries(positions(form).map((seat) => [seat, emptySeat()])) };
}

const sizes = (form) => Object.entries(form.hands);

function settingLine(position, raw, form) {
  const { cards, cuts, houseWay } = readCards(raw);
  if (houseWay && sizes(form).length) return [`set ${position} house_way`];
  if (!cuts.length || cuts.length !== sizes(form).length - 1) return [];
  const ends = [...cuts, cards.length];
  return [`set ${position} ` + sizes(form).map(([name], index) => `${name}=${cards.slice(cuts[index - 1] ?? 0, ends[index]).join(" ")}`).join(" ")];
}

/** The transcript of what was typed: complete words only, so that it can be judged while somebody types. */
export function toText(entry, form) {
  if (entry.asText) return entry.asText;
  const rules = entry.rules || ["rules", form.key, ...form.wagers.filter((wager) => entry.files[wager.name])
    .map((wager) => `${wager.name}=${entry.files[wager.name]}`)].join(" ");
  const more = entry.more.split("\n").filter((line) => line.trim());
  const keyword = (line) => line.trim().split(/\s+/, 1)[0];
  const before = more.filter((line) => BEFORE_THE_DEAL.has(keyword(line)));
  const after = more.filter((line) => AT_THE_END.has(keyword(line)));
  const between = more.filter((line) => !before.includes(line) && !after.includes(line));
  const bank = entry.bank.match(/^\s*([1-9])\s+(\S+)/);
  const bankLine = form.bank && bank && readCents(bank[2]) !== null ? [`player_dealer seat=${bank[1]} ${money(readCents(bank[2]))}`] : [];
  const placed = [], dealt = [], late = [], further = [], set = [], settled = [];
  const hand = (position, raw) => {
    const { cards } = readCards(raw);
    if (cards.length) dealt.push(`${position}=${cards.slice(0, form.first_cards).join(" ")}`);
    if (cards.length > form.first_cards && form.first_cards < form.cards) further.push(`${position}=${cards.slice(form.first_cards).join(" ")}`);
    set.push(...settingLine(position === "dealer" ? position : position.replace("seat", "seat="), raw, form));
  };
  const whole = form.first_cards === form.cards;
  if (form.dealer) hand("dealer", whole ? entry.dealer : "");
  for (const seat of positions(form)) {
    const typed = entry.seats[seat];
    if (!typed) continue;
    const { wagers } = readWagers(typed.wagers, form);
    const line = (chosen) => chosen.filter((wager) => wager.cents).map((wager) => `wager seat=${seat} ${wager.name} ${money(wager.cents)}${wager.pip ? ` number=${wager.pip}` : ""}`);
    let open = null;
    for (const wager of wagers.filter((each) => !each.late && each.cents)) {
      if (wager.pip || !open) placed.push(...line([wager]));
      else placed[placed.length - 1] += ` ${wager.name} ${money(wager.cents)}`;
      open = wager.pip ? null : wager;
    }
    hand(`seat${seat}`, typed.cards);
    late.push(...line(wagers.filter((wager) => wager.late)));
    readOutcomes(typed.outcomes, wagers).outcomes.forEach(({ how, cents }, index) => {
      const wager = wagers[index], pip = wager.pip ? ` number=${wager.pip}` : "";
      if (how === "-" || cents === null) return;
      settled.push({ t: `take seat=${seat} ${wager.name} ${money(cents)}`, r: `return seat=${seat} ${wager.name} ${money(cents)} push`,
        p: `pay seat=${seat} ${wager.name} ${money(cents)}` }[how] + pip);
    });
  }
  const deal = (hands) => (hands.length ? [`deal ${hands.join("  ")}`] : []);
  return [rules, ...before, ...bankLine, ...placed, ...deal(dealt), ...late, ...deal(further), ...set, ...between, ...settled, ...after].join("\n") + "\n";
}

/** The statements of a transcript one by one, a wager or a hand each, as they are in order. */
function statements(text) {
  return text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean).flatMap((line) => {
    const [keyword, ...rest] = line.split(/\s+/);
    const place = rest[0]?.replace(/^seat(?=\d)/, "seat=");
    if (keyword === "deal") return rest.join(" ").replace(/seat=?(?=\d)/g, "seat=").split(/ (?=dealer=|seat=)/).sort().map((hand) => `deal ${hand}`);
    if (!["wager", "take", "return", "pay"].includes(keyword)) return [rest.join(" ") ? `${keyword} ${rest.join(" ")}` : keyword];
    const words = rest.slice(1).map((word) => (readCents(word) === null ? word : money(readCents(word))));
    if (words.slice(2).some((word) => !/^\d/.test(word) && !/^[a-z0-9_]+$/.test(word)) || words.length % 2) return [`${keyword} ${place} ${words.join(" ")}`];
    return words.flatMap((word, index) => (index % 2 ? [] : [`${keyword} ${place} ${word} ${words[index + 1]}`]));
  });
}

/**
 * What was typed, from a transcript. Lines that no field has are kept as they are in `more`; if the fields would put the text into
 * another order, it is kept whole in `asText`: the order of a transcript is evidence.
 */
export function fromText(text, forms, chapter = "") {
  const read = fieldsOf(text, forms, chapter), laid = statements(toText(read.entry, read.form)), given = statements(text);
  if (given.length && (laid.length !== given.length || laid.some((one, index) => one !== given[index]))) read.entry.asText = text;
  return read;
}

/** Wagers in an order in which each of the lists has them, too: as they were placed early and late, and as they were settled. */
function inOneOrder(all, lists) {
  const left = new Set(all), isNext = (each) => lists.every((list) => !list.includes(each) || list.find((one) => left.has(one)) === each);
  return all.map(() => {
    const next = [...left].find(isNext) ?? [...left][0];
    left.delete(next);
    return next;
  });
}

function fieldsOf(text, forms, chapter) {
  const lines = text.split("\n").filter((line) => line.trim());
  const words = lines.map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  const filed = words.find(([keyword]) => keyword === "rules") ?? [];
  const form = forms.find(({ key }) => key === filed[1]) ?? forms.find(({ key }) => key === chapter) ?? forms[0];
  const entry = emptyEntry(form), stakes = {}, more = [], cards = {}, seen = {};
  let turn = 0;
  const seatOf = (word = "") => word.match(/^seat=?([1-9])$/)?.[1];
  const typed = (seat) => (entry.seats[seat] ??= emptySeat());
  const pairs = (rest) => {
    const number = rest.find((word) => word.startsWith("number="))?.slice(7) ?? null, amounts = rest.filter((word) => !/^number=/.test(word));
    const found = [];
    for (let index = 0; index + 1 < amounts.length; index += 2) {
      const wager = form.wagers.find(({ name }) => name === amounts[index]), cents = readCents(amounts[index + 1]);
      if (!wager || cents === null) return null;
      found.push({ wager, cents, pip: wager.number ? number ?? "?" : null });
    }
    return amounts.length % 2 ? null : found;
  };
  const readers = {
    rules(rest) {
      const options = rest.slice(1).map((word) => word.split("="));
      if (rest[0] === form.key && options.every(([name, value]) => form.wagers.some((wager) => wager.name === name && wager.files.includes(value)))) entry.files = Object.fromEntries(options);
      else entry.rules = ["rules", ...rest].join(" ");
      return true;
    },
    wager(rest) {
      const seat = seatOf(rest[0]), found = seat && pairs(rest.slice(1));
      if (!found?.length) return false;
      for (const { wager, cents, pip } of found) (stakes[seat] ??= []).push({ ...wager, cents, pip });
      return true;
    },
    deal(rest) {
      const hands = [];
      for (const word of rest) {
        const [, position, card] = word.match(/^(dealer|seat=?[1-9])=(.+)$/) ?? [];
        if (position) hands.push([position === "dealer" ? position : seatOf(position), [card]]);
        else if (hands.length) hands.at(-1)[1].push(word);
        else return false;
      }
      if (hands.some(([, dealt]) => readCards(dealt.join(" ")).pending)) return false;
      if (rest.some((word) => /^10[shdc]$/i.test(word)) || hands.some(([position]) => cards[position] && form.first_cards === form.cards)) return false;
      for (const [position, dealt] of hands) cards[position] = [...(cards[position] ?? []), ...dealt];
      return true;
    },
    set(rest) {
      const position = rest[0] === "dealer" ? "dealer" : seatOf(rest[0]);
      if (!position) return false;
      if (rest.length === 2 && rest[1] === "house_way") return (seen[position] = "h");
      const hands = rest.slice(1).join(" ").split(/\s*(?:high|medium|low)=/).slice(1);
      if (hands.length !== sizes(form).length) return false;
      cards[position] = [hands.join(" / ")];
      return true;
    },
    player_dealer(rest) {
      const seat = seatOf(rest[0]), cents = readCents(rest[1] ?? "");
      if (!form.bank || !seat || cents === null || rest.length !== 2) return false;
      entry.bank = `${seat} ${money(cents)}`;
      return true;
    },
    ...Object.fromEntries([["take", "t"], ["return", "r"], ["pay", "p"]].map(([keyword, how]) => [keyword, (rest) => {
      const seat = seatOf(rest[0]), found = seat && pairs(rest.slice(1).filter((word) => word !== "push"));
      const places = found?.map(({ wager, pip }) => (stakes[seat] ?? []).findIndex((each) => each.name === wager.name && each.pip === pip));
      if (!found?.length || places.includes(-1)) return false;
      if (how !== "p" && found.some(({ cents }, index) => stakes[seat][places[index]].cents !== cents)) return false;
      if (places.some((place) => stakes[seat][place].outcome)) return false;
      found.forEach(({ cents }, index) => { Object.assign(stakes[seat][places[index]], { turn: turn++, outcome: how + (how === "p" ? money(cents).replace(/\.00$/, "") : "") }); });
      return true;
    }])),
  };
  lines.forEach((line, index) => {
    const [keyword, ...rest] = words[index];
    if (!(readers[keyword] && readers[keyword](rest))) more.push(line);
  });
  for (const position of new Set([...Object.keys(cards), ...Object.keys(seen)])) {
    const raw = (cards[position] ?? []).join(" ").replace(/\?\?/g, "?").replace(/Jk/g, "*").replaceAll(" ", "") + (seen[position] ?? "");
    if (position === "dealer") entry.dealer = raw;
    else typed(position).cards = raw;
  }
  for (const [seat, placed] of Object.entries(stakes)) {
    const wagers = inOneOrder(placed, [placed.filter(({ late }) => !late), placed.filter(({ late }) => late),
      placed.filter(({ outcome }) => outcome).sort((one, other) => one.turn - other.turn)]);
    typed(seat).wagers = wagers.map(({ letter, cents, pip }) => `${letter}${money(cents).replace(/\.00$/, "")}${pip ? `#${pip}` : ""}`).join(" ");
    const outcomes = wagers.map(({ outcome }) => outcome ?? "-");
    while (outcomes.at(-1) === "-") outcomes.pop();
    typed(seat).outcomes = outcomes.join(" ");
  }
  entry.more = more.join("\n");
  return { entry, form };
}

// --------------------------------------------------------------------------------------------------------------- on screen

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

const cardName = (card) => card === "Jk" ? "joker" : card === "??" ? "a card that was not read" : `${NAMES[card[0]] ?? card[0]} of ${SUITS[card[1]][1]}`;

function drawnCard(card) {
  if (!card) return element("span", { class: "card missing", "aria-hidden": "true" });
  const face = card === "Jk" ? ["JK", "★", "joker"] : card === "??" ? ["?", "", "unread"] : [card[0] === "T" ? "10" : card[0], SUITS[card[1]][0], `suit-${card[1]}`];
  return element("span", { class: `card ${face[2]}`, role: "img", "aria-label": cardName(card) }, element("b", {}, face[0]), element("i", {}, face[1]));
}

/** After this, an answer that did not come is no longer waited for. */
const ANSWER_TIMEOUT_MS = 2000;

/**
 * Put the felt into an element. `forms`: what `entry.forms` returns. `text`: a transcript to begin with. `onText(text)` is called
 * when what was typed makes another transcript; whoever mounts it then calls `answer({of: text, …})` with what `entry.answer` returns.
 * `draft`: under which name the browser keeps what was typed over a reload; none if empty. `rules`: the line of the rules that hold
 * here, if they are not chosen on the felt; `chapter` is then theirs. `done`: what the draft held last was stored, under this name.
 * `onTyped(all)` says if the outcomes of all wagers are typed, `onUnveil()` that the answer is asked for before.
 */
export function mount(root, { forms, text = "", chapter = "pa-688a", rules: filed = "", onText = () => {}, onTyped = () => {}, onUnveil = () => {}, draft = "", done = "" }) {
  let form = forms.find(({ key }) => key === chapter) ?? forms[0];
  let entry = emptyEntry(form), sent = null, latest = null, waiting = null, last = null, fields = {}, past = [];
  if (draft && done && localStorage.getItem(`${draft}-done`) !== done) {
    localStorage.removeItem(draft);
    localStorage.setItem(`${draft}-done`, done);
  }
  const kept = draft && localStorage.getItem(draft);
  let allTyped = false;
  const read = (words) => {
    ({ entry, form } = fromText(words, forms, chapter));
    if (filed && !entry.asText) entry.rules = filed;
  };
  entry.rules = filed;
  if (kept || text) read(kept || text);

  const said = element("p", { class: "said", role: "status" });
  const elsewhere = element("div", { class: "elsewhere", role: "status" });
  const felt = element("div", { class: "felt" });
  const rules = element("div", { class: "rules" });
  const picker = element("div", { class: "picker", role: "group", "aria-label": "The deck" });
  const written = element("textarea", { "aria-label": "Transcript", spellcheck: "false", rows: "9" });
  const verdict = element("div", { class: "verdict", role: "status", "aria-live": "polite" });
  const keys = element("details", { class: "keys" }, element("summary", {}, "Keys"), element("p", {},
    "Cards: rank and suit without blanks (AsTd), * joker, ? a card that was not read, / between the high and the low hand as set, h set by the house way. ",
    "A digit and Tab: that seat. Wagers: a letter and an amount (b25 a10). Outcomes in the order of the wagers: t taken, r returned, p100 paid, p= even money, - not seen. Ctrl-Z: back. Ctrl-Enter: store."));
  root.replaceChildren(element("div", { class: "entry" },
    element("div", { class: "left" }, elsewhere, rules, felt, said, picker, keys),
    element("div", { class: "right" }, verdict, element("label", { class: "as-text" }, "As text", written))));

  const hand = (place) => (place === "dealer" ? entry.dealer : entry.seats[place].cards);
  const heldBy = (card, except) => ["dealer", ...positions(form)].filter((place) => place !== except)
    .flatMap((place) => readCards(hand(place)).cards.filter((each) => each === card).map(() => place));
  const whose = (place) => (place === "dealer" ? "with the dealer" : `at seat ${place}`);

  /** Why the cards typed for a place cannot be: null if they can. */
  function objection(place, raw) {
    const { cards } = readCards(raw);
    for (const card of new Set(cards)) {
      if (card === "??") continue;
      if (card === "Jk" && !form.joker) return "This game has no joker";
      const here = cards.filter((each) => each === card).length, there = heldBy(card, place), most = card === "Jk" ? 1 : form.copies;
      if (here + there.length > most) return `${cardName(card)} is ${there.length ? whose(there[0]) : "in this hand"} already`;
    }
    if (cards.length > form.cards) return `A hand has ${form.cards} cards`;
    return null;
  }

  function remember() {
    past.push(JSON.stringify(entry));
    if (past.length > 300) past.shift();
  }

  function undo() {
    if (!past.length) return;
    const { place } = felt.querySelector("input:focus")?.closest("[data-place]")?.dataset ?? {}, field = felt.querySelector("input:focus")?.dataset.field;
    entry = JSON.parse(past.pop());
    form = forms.find(({ key }) => key === entry.chapter);
    draw();
    fields[place]?.[field]?.focus();
    update("");
  }

  function typedCards(place, input) {
    const before = hand(place), refused = objection(place, input.value);
    const value = refused ? (input.value.length > before.length + 1 ? before : input.value.slice(0, -1)) : input.value;
    if (refused) input.value = value;
    if (value !== before) remember();
    if (place === "dealer") entry.dealer = value;
    else entry.seats[place].cards = value;
    update(refused ?? "");
  }

  /** A digit and Tab in a field of cards goes to that seat. */
  function onTab(place, event) {
    const { pending } = readCards(event.target.value), seat = pending.trim();
    if (event.key !== "Tab" || event.shiftKey || !fields[seat]) return;
    event.preventDefault();
    event.target.value = event.target.value.slice(0, event.target.value.length - pending.length);
    typedCards(place, event.target);
    fields[seat].box.classList.add("in-use");
    fields[seat].cards.focus();
  }

  function input(label, value, onInput, attributes = {}) {
    return element("input", { "aria-label": label, value, placeholder: label.replace(/^.*: /, ""), autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: onInput, ...attributes });
  }

  function handBox(place, title) {
    const cards = element("div", { class: "cards" }), note = element("p", { class: "note" });
    const field = input(`${title}: cards`, hand(place), (event) => typedCards(place, event.target), { onkeydown: (event) => onTab(place, event), onfocus: () => { last = place; }, "data-field": "cards" });
    const box = element("div", { class: `hand ${place === "dealer" ? "dealer" : "seat"}`, "data-place": place }, element("h3", {}, title), cards, field);
    fields[place] = { box, drawn: cards, note, cards: field };
    if (place !== "dealer") {
      const typed = (name) => (event) => { remember(); entry.seats[place][name] = event.target.value; update(""); };
      fields[place].wagers = input(`${title}: wagers`, entry.seats[place].wagers, typed("wagers"), { "data-field": "wagers" });
      fields[place].outcomes = input(`${title}: outcomes`, entry.seats[place].outcomes, typed("outcomes"), { "data-field": "outcomes" });
      box.append(fields[place].wagers, fields[place].outcomes);
    }
    box.append(note);
    return box;
  }

  function drawRules() {
    const games = element("select", { "aria-label": "Game", onchange: (event) => {
      remember();
      form = forms.find(({ key }) => key === event.target.value);
      entry = { ...emptyEntry(form), more: "" };
      draw();
      update("");
    } }, ...forms.map(({ key, title }) => element("option", { value: key, selected: key === form.key }, title)));
    const files = form.wagers.filter((wager) => wager.files.length).map((wager) => element("label", {}, wager.title,
      element("select", { "aria-label": `${wager.title} paytable`, onchange: (event) => { remember(); entry.rules = ""; entry.files[wager.name] = event.target.value; update(""); } },
        element("option", { value: "" }, "not offered"),
        ...wager.files.map((name) => element("option", { value: name, selected: entry.files[wager.name] === name }, name === "yes" || wager.files.length === 1 ? "offered" : name)))));
    const bank = form.bank ? [element("label", {}, "Player-dealer", input("Player-dealer: seat and wager, as in 4 500", entry.bank, (event) => { remember(); entry.bank = event.target.value; update(""); }))] : [];
    rules.replaceChildren(...(filed ? [element("span", {}, `${form.title}, by the rules on file`)] : [games]), ...(entry.rules ? (filed ? [] : [element("code", {}, entry.rules)]) : files), ...bank);
  }

  function drawPicker() {
    const card = (name) => element("button", { type: "button", class: `pick ${name === "Jk" ? "joker" : `suit-${name[1]}`}`, "data-card": name, tabindex: "-1", "aria-label": cardName(name),
      onmousedown: (event) => event.preventDefault(), onclick: () => pick(name) }, name === "Jk" ? "JK" : (name[0] === "T" ? "10" : name[0]) + SUITS[name[1]][0]);
    picker.replaceChildren(...Object.keys(SUITS).map((suit) => element("div", {}, ...[...RANKS].reverse().map((rank) => card(rank + suit)))), ...(form.joker ? [element("div", {}, card("Jk"))] : []));
  }

  function pick(name) {
    const place = last ?? (form.dealer ? "dealer" : "1"), field = fields[place].cards;
    field.value += name === "Jk" ? "*" : name;
    typedCards(place, field);
  }

  function draw() {
    fields = {};
    const seats = positions(form).map((seat) => handBox(seat, `Seat ${seat}`));
    felt.replaceChildren(...(form.dealer ? [handBox("dealer", form.bank ? "Player-dealer" : "Dealer")] : []), element("div", { class: "seats" }, ...seats));
    drawRules();
    drawPicker();
  }

  function notes(place) {
    const { cards, pending } = readCards(hand(place)), parts = [];
    if (cards.length && cards.length < form.cards) parts.push(`card ${cards.length + 1} of ${form.cards} missing`);
    if (pending.trim().length > 2) parts.push(`“${pending.trim()}” is no card`);
    if (place === "dealer") return parts;
    const { wagers, pending: unknown } = readWagers(entry.seats[place].wagers, form);
    if (unknown) parts.push(`“${unknown}” is no wager; letters: ${form.wagers.map(({ letter, title }) => `${letter} ${title}`).join(", ")}`);
    const { outcomes, pending: odd } = readOutcomes(entry.seats[place].outcomes, wagers);
    const words = { t: "taken", r: "returned", "-": "not seen" };
    parts.push(...wagers.map((wager, index) => {
      const outcome = outcomes[index], seen = !outcome ? "" : outcome.how === "p" ? (outcome.cents === null ? ": paid how much?" : `: paid ${money(outcome.cents)}`) : `: ${words[outcome.how]}`;
      const unfiled = wager.files.length && !entry.rules && !entry.files[wager.name] ? " (not offered: choose its paytable above)" : "";
      return `${wager.title} ${wager.cents === null ? "how much?" : money(wager.cents)}${wager.pip ? ` on ${wager.pip}` : ""}${seen}${unfiled}`;
    }));
    if (odd) parts.push(`“${odd}” is no outcome`);
    return parts;
  }

  /** If what was done is typed of every wager (not seen is an answer too). */
  function outcomesTyped() {
    if (entry.asText) return /^\s*(take|pay|return|close)\b/m.test(entry.asText);
    const wagers = Object.values(entry.seats).map((seat) => [readWagers(seat.wagers, form).wagers, seat.outcomes]).filter(([placed]) => placed.length);
    return wagers.length > 0 && wagers.every(([placed, outcomes]) => readOutcomes(outcomes, placed).outcomes.filter(({ how, cents }) => how === "-" || cents !== null).length === placed.length);
  }

  function update(words, { fromWritten = false } = {}) {
    said.textContent = words;
    if (outcomesTyped() !== allTyped) onTyped(allTyped = !allTyped);
    for (const [place, field] of Object.entries(fields)) {
      const { cards, cuts, houseWay } = readCards(hand(place));
      const shown = cards.flatMap((card, index) => [cuts.includes(index) ? element("span", { class: "cut" }) : null, drawnCard(card)]).filter(Boolean);
      if (cards.length) for (let index = cards.length; index < form.cards; index++) shown.push(drawnCard(null));
      field.drawn.replaceChildren(...shown, ...(houseWay ? [element("em", {}, "house way")] : []));
      field.note.replaceChildren(...notes(place).map((line) => element("span", {}, line)));
      if (place !== "dealer") field.box.classList.toggle("in-use", Boolean(cards.length || entry.seats[place].wagers || field.box.contains(field.box.getRootNode().activeElement)));
    }
    for (const button of picker.querySelectorAll("[data-card]")) {
      const card = button.dataset.card, held = heldBy(card, null);
      button.disabled = held.length >= (card === "Jk" ? 1 : form.copies);
      button.title = held.length ? `${cardName(card)}: ${held.map(whose).join(", ")}` : "";
    }
    for (const field of felt.querySelectorAll("input")) field.disabled = Boolean(entry.asText);
    if (entry.asText) said.textContent = "The text has more than the felt, or another order: go on in the text.";
    const made = toText(entry, form);
    if (!fromWritten) written.value = made;
    if (draft) localStorage.setItem(draft, made);
    latest = fromWritten ? written.value : made;
    if (!waiting) ask();
  }

  /** Ask for the answer to what is typed now. The next question waits for this answer, or until it is clear that none comes. */
  function ask() {
    if (latest === sent) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => { waiting = null; ask(); }, ANSWER_TIMEOUT_MS);
    sent = latest;
    verdict.classList.add("old");
    onText(sent);
  }

  written.addEventListener("input", () => {
    remember();
    read(written.value);
    draw();
    update("", { fromWritten: true });
  });
  root.addEventListener("focusout", () => { if (latest !== null) ask(); });  // who leaves to store stores all that was typed
  root.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && latest !== null) ask();  // the page stores
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey && event.target !== written) {
      event.preventDefault();
      undo();
    }
    if (event.altKey && fields[event.key]) {
      event.preventDefault();
      fields[event.key].cards.focus();
    }
  });

  // -------------------------------------------------------------------------------------------------------------- the answer

  function wagerRow(each) {
    const cells = [String(each.seat), each.wager, each.staked, each.due || "?", each.done || "–", each.differs, each.doubt ? `In doubt: ${each.doubt}` : each.line, each.section];
    const labels = ["Seat", "Wager", "Staked", "Due", "Done", "Differs", "Why", "Section"];
    return element("tr", { class: each.differs ? "differs" : "" }, ...cells.map((cell, index) => element("td", { "data-label": labels[index] }, cell)));
  }

  function finding(each) {
    const facts = [["Calculation", each.calculation], ["Expected", each.calculation ? "" : each.expected], ["Observed", each.calculation ? "" : each.observed],
      ["Section", each.section], ["Another reading", each.other_reading], ["Lines", each.lines.join(", ")]].filter(([, words]) => words);
    return element("div", { class: "finding" }, element("p", {}, element("b", {}, each.sentence)), ...each.to_do.map((words) => element("p", { class: "to-do" }, words)),
      element("dl", {}, ...facts.flatMap(([name, words]) => [element("dt", {}, name), element("dd", {}, words)])),
      element("details", {}, element("summary", {}, each.code), element("p", {}, each.explanation)));
  }

  function answer(value) {
    if (!value || (value.of !== undefined && value.of !== (sent ?? toText(entry, form)))) return;
    clearTimeout(waiting);
    waiting = null;
    verdict.classList.remove("old");
    show(value);
    if (latest !== null) ask();
  }

  function show(value) {
    if (value.error) {
      const lines = (sent ?? toText(entry, form)).split("\n");
      if (lines.every((each) => /^\s*($|(rules|table|dealer|round)\b)/.test(each))) {
        verdict.replaceChildren(element("p", { class: "unread" }, "Type cards, wagers and what was paid: the answer appears here."));
        return;
      }
      const line = value.error.line === null ? "" : `Line ${value.error.line}: `;
      verdict.replaceChildren(element("p", { class: "unread" }, line + value.error.words));
      return;
    }
    if (value.blind) {
      verdict.replaceChildren(element("p", { class: "unread" }, "What was due is hidden until what was done is typed of every wager, - for what was not seen."),
        element("button", { type: "button", class: "unveil", onclick: onUnveil }, "Show it now (this is recorded)"));
      return;
    }
    const round = value.rounds.at(-1);
    if (!round) return;
    const [shape, kind] = VERDICTS[round.verdict] ?? ["", "unknown"];
    verdict.replaceChildren(
      element("div", { class: `headline ${kind}` }, element("span", { "aria-hidden": "true" }, shape), element("div", {}, element("small", {}, round.verdict), element("p", {}, round.sentence))),
      ...round.findings.map(finding),
      round.wagers.length ? element("table", {}, element("thead", {}, element("tr", {}, ...["Seat", "Wager", "Staked", "Due", "Done", "Differs", "Why", "Section"].map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, ...round.wagers.map(wagerRow))) : element("p", { class: "unread" }, "Type the cards, a seat's wagers, and what was seen of them."));
  }

  // The same draft in another tab: what is typed there is offered here. What was typed here and is in no other place is kept aside.
  const aside = `${draft}-aside`;
  function offer(words, other, keep) {
    const ends = (act) => () => { localStorage.removeItem(aside); elsewhere.replaceChildren(); act(); };
    const uses = () => { remember(); read(other); draw(); update(""); };
    elsewhere.replaceChildren(element("p", {}, words),
      ...(other ? [element("button", { type: "button", class: "unveil", onclick: ends(uses) }, "Use the other text")] : []),
      element("button", { type: "button", class: "unveil", onclick: ends(keep) }, "Keep this text"));
  }
  window.addEventListener("storage", ({ key, newValue }) => {
    const ours = toText(entry, form);
    if (!draft || key !== draft || !root.isConnected || newValue === ours) return;
    if (past.length) localStorage.setItem(aside, ours);
    offer(newValue ? "You are typing this round in another tab, too. What is typed here stays here." : "This round was stored in another tab. What is typed here stays here.",
      newValue, () => localStorage.setItem(draft, toText(entry, form)));
  });

  draw();
  update("");
  const other = draft && localStorage.getItem(aside);
  if (other && other !== toText(entry, form)) offer("In another tab, you typed another text of this round, which is not stored.", other, () => {});
  return { answer, text: () => toText(entry, form) };
}

const mounted = new WeakMap();

/** The felt as a component of Streamlit: the text goes to the page as the state `text`, the answer comes with the data. */
export function component({ parentElement, data, setStateValue }, forms, style) {
  let felt = mounted.get(parentElement);
  if (!felt) {
    const root = parentElement.querySelector(".felt-root"), { adoptedStyleSheets } = root.getRootNode();
    if (!adoptedStyleSheets.includes(style)) adoptedStyleSheets.push(style);
    felt = mount(root, { ...data.options, forms, onText: (text) => setStateValue("text", text), onTyped: (all) => setStateValue("typed", all), onUnveil: () => setStateValue("unveiled", true) });
    mounted.set(parentElement, felt);
  }
  felt.answer(data.answer);
}
