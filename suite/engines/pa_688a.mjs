// A second engine for the Rounds suite: what the base, Ace High and Fortune wagers of 58 Pa. Code Chapter 688a are due.
//
// Written from the text of the chapter and the description of the events (docs/events.md) alone, before its author had read the judge,
// the rulebook or a golden round. What the text leaves open is read as the comments say. It answers a JSON value a line on stdin
// with one a line on stdout, and declines what is outside of it: irregularities, voided rounds, corrections, cards that were not read.
// With `--layouts` it reads the lines of `suite/random_layouts.py`, and answers with the cents of each seat's wagers.

// § 688a.12(b): both ace high; dealer alone with joker; dealer alone without.
const ACE_HIGH = { 1: [20, 10, 8], 2: [40, 15, 5], 3: [30, 15, 6], 4: [25, 10, 7], 5: [40, 12, 5] };

// § 688a.12(c): odds to 1 and the Envy Bonus in dollars. "Push" is 0. The last five lines of paytable 4 are unreadable in the copy of the text
// but for their names; they are read as in the five others, which agree.
const COMMON = { full_house: [5], flush: [4], three: [3], straight: [2] };
const fortune = (natural7, match, joker7, aces, royal, straightFlush, four, further = {}) =>
  ({ natural7, match, joker7, aces, royal, straightFlush, four, ...COMMON, ...further });
const FORTUNE = {
  1: fortune([5000, 1000], [1000, 250], [750, 100], [250, 50], [100, 25], [50, 10], [20, 5], { three_pair: [0] }),
  2: fortune([8000, 5000], [2000, 1000], [1000, 500], [400, 250], [150, 50], [50, 20], [25, 5]),
  3: fortune([5000, 3000], [2000, 1000], [1000, 500], [400, 250], [150, 50], [50, 20], [25, 5]),
  4: fortune([2500, 1000], [1000, 750], [750, 250], [250, 100], [125, 50], [50, 20], [25, 5]),
  5: fortune([5000, 2500], [1000, 500], [500, 250], [300, 150], [100, 55], [45, 25], [5, 6]),
  6: fortune([5000, 2500], [2000, 500], [1000, 250], [400, 150], [150, 55], [50, 25], [25, 6]),
};
const QUALIFYING_CENTS = 500; // § 688a.1: a Qualifying Wager

const JOKER = "Jk";
const ACE = 14;
const rankOf = (card) => (card === JOKER ? ACE : "23456789TJQKA".indexOf(card[0]) + 2);
const suitOf = (card) => card[1];
const DECK = [..."shdc"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));
const descending = (one, other) => other - one;

/** Compare two lists of numbers, the first that differ; negative if the first list is lower. */
function compare(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i += 1) if (one[i] !== other[i]) return one[i] - other[i];
  return 0;
}

/** § 688a.6(b): the ranks of high hands. */
const [HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, ROYAL, FIVE_ACES] = [...Array(11).keys()];

/** The height of five consecutive ranks, else 0. Ace to 5 is between ace high and king high (§ 688a.6(b)(3), (7)). */
function consecutive(ranks) {
  const sorted = [...ranks].sort(descending);
  if (sorted.join() === "14,5,4,3,2") return 13.5;
  return sorted.every((rank, i) => i === 0 || sorted[i - 1] - rank === 1) ? sorted[0] : 0;
}

/** Five cards without a joker that stands for another card; a joker here is an ace of no suit. */
function plainRank(cards) {
  const ranks = cards.map(rankOf).sort(descending);
  const flush = !cards.includes(JOKER) && cards.every((card) => suitOf(card) === suitOf(cards[0]));
  const straight = consecutive(ranks);
  if (flush && straight) return straight === ACE ? [ROYAL] : [STRAIGHT_FLUSH, straight];
  const counts = new Map();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  const groups = [...counts].sort((one, other) => other[1] - one[1] || other[0] - one[0]);
  const sizes = groups.map(([, size]) => size).join("");
  const order = groups.map(([rank]) => rank);
  if (sizes === "5") return [FIVE_ACES];
  if (sizes === "41") return [FOUR, ...order];
  if (sizes === "32") return [FULL_HOUSE, ...order];
  if (flush) return [FLUSH, ...ranks];
  if (straight) return [STRAIGHT, straight];
  return [{ 311: THREE, 221: TWO_PAIR, 2111: PAIR, 11111: HIGH_CARD }[sizes], ...order];
}

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43];
const PRIME = Object.fromEntries([...DECK, JOKER].map((card) => [card, card === JOKER ? 43 : PRIMES[rankOf(card) - 2]]));
const SUIT_BITS = Object.fromEntries([...DECK, JOKER].map((card) => [card, card === JOKER ? 15 : 1 << "shdc".indexOf(suitOf(card))]));
const HIGH_RANKS = new Map();

/** The high rank of five of some cards, worked out once for all that have the same ranks, and one suit or not: nothing else counts in it. */
function rankAt(cards, primes, suits, a, b, c, d, e) {
  const product = primes[a] * primes[b] * primes[c] * primes[d] * primes[e];
  const shape = suits[a] & suits[b] & suits[c] & suits[d] & suits[e] ? -product : product;
  let rank = HIGH_RANKS.get(shape);
  if (rank === undefined) HIGH_RANKS.set(shape, (rank = bestWithJoker([cards[a], cards[b], cards[c], cards[d], cards[e]])));
  return rank;
}

const highRank = (five) => rankAt(five, five.map((card) => PRIME[card]), five.map((card) => SUIT_BITS[card]), 0, 1, 2, 3, 4);

/** § 688a.6(a): the joker is an ace, or any card to complete a straight, a flush, a straight flush or a royal flush. */
function bestWithJoker(cards) {
  const best = [plainRank(cards)];
  if (cards.includes(JOKER)) {
    const others = cards.filter((card) => card !== JOKER);
    for (const stand of DECK) {
      if (others.includes(stand)) continue;
      const rank = plainRank([...others, stand]);
      if ([STRAIGHT, FLUSH, STRAIGHT_FLUSH, ROYAL].includes(rank[0])) best.push(rank);
    }
  }
  return best.reduce((one, other) => (compare(one, other) < 0 ? other : one));
}

/** Two cards: a pair, or their ranks. The joker can only be an ace. */
function lowRank(cards) {
  const [first, second] = cards.map(rankOf).sort(descending);
  return first === second ? [PAIR, first] : [HIGH_CARD, first, second];
}

function* choices(cards, size, from = 0, taken = []) {
  if (taken.length === size) yield taken;
  else for (let i = from; i < cards.length; i += 1) yield* choices(cards, size, i + 1, [...taken, cards[i]]);
}

const FIVE_OF_SEVEN = [...choices([0, 1, 2, 3, 4, 5, 6], 5)];

/** What a function says of seven cards, worked out once. */
function once(from) {
  const known = new WeakMap();
  return (seven) => {
    let said = known.get(seven);
    if (said === undefined) known.set(seven, (said = from(seven)));
    return said;
  };
}

/** The ranks of the fives among seven cards. */
const ranksOf = once((seven) => {
  const [primes, suits] = [seven.map((card) => PRIME[card]), seven.map((card) => SUIT_BITS[card])];
  return FIVE_OF_SEVEN.map(([a, b, c, d, e]) => rankAt(seven, primes, suits, a, b, c, d, e));
});

/** The highest high hand that seven cards form. */
const bestOf = once((seven) => ranksOf(seven).reduce((one, other) => (compare(one, other) < 0 ? other : one)));

/** § 688a.1: an Ace High Pai Gow. Nothing better than ace high can be formed from the seven cards. */
function isAceHigh(seven) {
  const rank = bestOf(seven);
  return rank[0] === HIGH_CARD && rank[1] === ACE;
}

/** § 688a.6(e)(1), (3): seven cards of one suit in consecutive ranking; a joker completes them. Ace may be below 2. */
function sevenStraightFlush(seven) {
  const others = seven.filter((card) => card !== JOKER);
  const jokers = seven.length - others.length;
  if (others.some((card) => suitOf(card) !== suitOf(others[0]))) return false;
  const suited = others.map(rankOf);
  for (let low = 1; low <= 8; low += 1) {
    const run = [...Array(7).keys()].map((step) => (low + step === 1 ? ACE : low + step));
    if (run.filter((rank) => !suited.includes(rank)).length === jokers) return true;
  }
  return false;
}

/** § 688a.6(e)(2): a royal flush, with or without the joker, and a king and a queen of one suit besides. */
function isRoyalMatch(seven) {
  for (const [at, places] of FIVE_OF_SEVEN.entries()) {
    if (ranksOf(seven)[at][0] !== ROYAL) continue;
    const rest = seven.filter((_, place) => !places.includes(place));
    const ranks = rest.map(rankOf).sort(descending).join();
    if (!rest.includes(JOKER) && ranks === "13,12" && suitOf(rest[0]) === suitOf(rest[1])) return true;
  }
  return false;
}

/** The line of the Fortune paytable that seven cards reach. The dealer forms the highest ranking hand (§ 688a.11(h)): a straight that also
 * holds three of a kind is a straight, which pays less. */
const fortuneLine = once((seven) => {
  if (sevenStraightFlush(seven)) return seven.includes(JOKER) ? (isRoyalMatch(seven) ? "match" : "joker7") : "natural7";
  if (isRoyalMatch(seven)) return "match";
  const rank = bestOf(seven);
  const line = { [FIVE_ACES]: "aces", [ROYAL]: "royal", [STRAIGHT_FLUSH]: "straightFlush", [FOUR]: "four", [FULL_HOUSE]: "full_house",
    [FLUSH]: "flush", [STRAIGHT]: "straight", [THREE]: "three" }[rank[0]];
  if (line) return line;
  const counts = new Map();
  for (const each of seven.map(rankOf)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts.values()].filter((size) => size === 2).length === 3 ? "three_pair" : "nothing";
});

/** § 688a.11(f): what becomes of the base wager. A dealer's Ace High Pai Gow pushes all: the exception would else never apply. */
function baseOutcome(player, dealer, dealerSeven) {
  if (isAceHigh(dealerSeven)) return 0;
  if (player.high.length !== 5 || player.low.length !== 2) return -1; // (f)(1)(iv)
  const [high, low] = [highRank(player.high), lowRank(player.low)];
  if (compare(high, low) < 0) return -1; // (f)(1)(iii)
  if (!dealer) return null;
  const [above, below] = [compare(high, highRank(dealer.high)), compare(low, lowRank(dealer.low))];
  if (above > 0 && below > 0) return 1; // (f)(3)
  return above > 0 || below > 0 ? 0 : -1; // (f)(2), (f)(1)(i), (ii): a copy loses
}

/** What a rules submission says of a key in a table of it. */
function filed(toml, table, key) {
  let inside = "";
  for (const line of toml.split("\n")) {
    const head = line.match(/^\[(.+)\]\s*$/);
    if (head) [, inside] = head;
    const pair = line.match(/^(\w+)\s*=\s*"?([^"]*)"?\s*$/);
    if (pair && inside === table && pair[1] === key) return pair[2];
  }
  return null;
}

const IRREGULAR = new Set(["round_voided", "card_found_face_up", "boxed_card_found", "foreign_card_found", "card_exposed", "stack_moved",
  "card_drawn_in_error", "hand_elected", "hand_reset", "wager_abandoned", "device_failed", "device_alarmed", "event_corrected", "intake_refused",
  "wager_refused", "wager_removed", "chapter_published"]);

class Declined extends Error {}

/** Read the events of a round: who wagered what, which cards everyone holds, how hands were set. */
function read(events) {
  const round = { wagers: new Map(), bettors: new Map(), cards: new Map(), hands: new Map(), surrendered: new Set() };
  for (const { type, payload } of events) {
    if (IRREGULAR.has(type)) throw new Declined(`the round has ${type}`);
    if (type === "wager_placed") {
      if (payload.form !== "chips") throw new Declined(`a wager in the form ${payload.form}`);
      const key = `${payload.seat} ${payload.wager}`;
      round.wagers.set(key, (round.wagers.get(key) ?? 0) + payload.amount_cents);
      round.bettors.set(payload.seat, payload.bettor);
    }
    if (type === "cards_dealt") round.cards.set(payload.to, [...(round.cards.get(payload.to) ?? []), ...payload.cards]);
    if (type === "hand_set") round.hands.set(payload.position, payload);
    if (type === "surrendered") round.surrendered.add(payload.seat);
    if (type === "stub_counted" && payload.count !== 4) throw new Declined("the stub has another count");
  }
  return round;
}

const isWhole = (cards) => cards !== undefined && cards.length === 7 && !cards.includes(null);
const sameCards = (one, other) => [...one].sort().join() === [...other].sort().join();

/** The settlements of the events of one round. */
function settleEvents(rules, events) {
  if (filed(rules, "", "chapter") !== "pa-688a") throw new Declined("another chapter");
  if (filed(rules, "", "max_payout") !== null) throw new Declined("a maximum payout is filed");
  const paytable = (wager) => filed(rules, `wagers.${wager}`, "paytable");
  return settle(read(events), ACE_HIGH[paytable("ace_high_bonus")], FORTUNE[paytable("fortune_bonus")]);
}

/** The settlements of one round. */
function settle(round, odds, fortunePaytable) {
  if ([...round.cards.values()].some((cards) => cards.length !== 7)) throw new Declined("a hand of another count");
  const all = [...round.cards.values()].flat().filter((card) => card !== null);
  if (new Set(all).size !== all.length) throw new Declined("a card twice");
  const seven = (position) => (isWhole(round.cards.get(position)) ? round.cards.get(position) : null);
  const dealer = seven("dealer");
  const dealerHand = round.hands.get("dealer");
  if (dealerHand && (dealer === null || !sameCards(dealer, [...dealerHand.high, ...dealerHand.low]) || dealerHand.high.length !== 5)) {
    throw new Declined("the dealer's hand as set is not what was dealt");
  }
  const dues = [];
  const due = (seat, wager, cents) => dues.push({ seat, wager, cents });
  for (const [key, stake] of round.wagers) {
    const [seatText, wager] = key.split(" ");
    const seat = Number(seatText);
    const own = seven(seat);
    if (wager === "base") {
      const optional = [...round.wagers.keys()].some((other) => other.startsWith(`${seat} `) && other !== key);
      const hand = round.hands.get(seat);
      if (round.surrendered.has(seat)) {
        if (!optional) due(seat, wager, -stake); // § 688a.11(d)
      } else if (dealer !== null && isAceHigh(dealer)) {
        due(seat, wager, 0);
      } else if (dealer !== null && own !== null && hand && sameCards(own, [...hand.high, ...hand.low])) {
        const outcome = baseOutcome(hand, dealerHand, dealer);
        if (outcome !== null) due(seat, wager, outcome * stake);
      }
    } else if (wager === "ace_high_bonus" && dealer !== null) {
      if (!odds) continue;
      if (!isAceHigh(dealer)) due(seat, wager, -stake);
      else if (own !== null) due(seat, wager, stake * odds[isAceHigh(own) ? 0 : dealer.includes(JOKER) ? 1 : 2]);
    } else if (wager === "fortune_bonus" && fortunePaytable) {
      if (own !== null) {
        const line = fortunePaytable[fortuneLine(own)];
        due(seat, wager, line ? stake * line[0] : -stake);
      }
      // § 688a.1, .11(h)(2)(ii): for every hand of another player. Nothing is due for one's own, on either of two boxes.
      const others = [...round.bettors].filter(([other, bettor]) => other !== seat && (bettor === null || bettor !== round.bettors.get(seat)));
      if (stake >= QUALIFYING_CENTS && others.every(([other]) => seven(other) !== null)) {
        const envy = others.reduce((sum, [other]) => sum + 100 * (fortunePaytable[fortuneLine(seven(other))]?.[1] ?? 0), 0);
        if (envy) due(seat, "fortune_envy", envy);
      }
    }
  }
  return dues;
}

/** The answer to a case of the suite. */
function answerCase(line) {
  const { id, rounds } = JSON.parse(line);
  try {
    if (rounds.length > 1) throw new Declined("more than one round");
    return JSON.stringify({ id, rounds: rounds.map(({ rules, events }) => ({ due: settleEvents(rules, events) })) });
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    return JSON.stringify({ id, declined: error.message });
  }
}

const LAID = ["base", "ace_high_bonus", "fortune_bonus"];
const CARD = Object.fromEntries([...DECK, JOKER].map((card) => [card, card]));
const cardsOf = (text) => text.match(/../g).map((card) => CARD[card]);

/** The cents of each seat: base, Ace High Bonus, Fortune Bonus, Envy Bonuses; "-" where nothing is said of a wager. */
function answerLayout(line) {
  const [aceHigh, fortunePaytable, ...positions] = line.split(" ");
  const round = { wagers: new Map(), bettors: new Map(), cards: new Map(), hands: new Map(), surrendered: new Set() };
  for (const text of positions) {
    const [name, bettor, stakes, surrendered, high, low] = text.split(":");
    const position = name === "dealer" ? name : Number(name);
    round.cards.set(position, cardsOf(high + low));
    if (surrendered === "s") round.surrendered.add(position);
    else round.hands.set(position, { high: cardsOf(high), low: cardsOf(low) });
    if (position === "dealer") continue;
    round.bettors.set(position, bettor);
    stakes.split(",").forEach((stake, at) => stake && round.wagers.set(`${position} ${LAID[at]}`, Number(stake)));
  }
  const cents = new Map();
  for (const each of settle(round, ACE_HIGH[aceHigh], FORTUNE[fortunePaytable])) cents.set(`${each.seat} ${each.wager}`, each.cents);
  const said = (seat, wager) => cents.get(`${seat} ${wager}`) ?? (round.wagers.has(`${seat} ${wager}`) ? "-" : 0);
  return [...round.bettors.keys()].map((seat) => [...LAID, "fortune_envy"].map((wager) => said(seat, wager)).join()).join(" ");
}

const answer = process.argv.includes("--layouts") ? answerLayout : answerCase;
let rest = "";
for await (const some of process.stdin.setEncoding("utf8")) {
  const lines = (rest + some).split("\n");
  rest = lines.pop();
  if (lines.length) process.stdout.write(lines.map((line) => `${answer(line)}\n`).join(""));
}
