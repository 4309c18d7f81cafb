// How a page stays up to date, for hours: it asks for everything that it shows, at once when the live
// feed says that something happened, and now and then in any case. So whatever was missed, the next
// answer has it, and there is no state to get stuck in. Time is counted by performance.now(), which
// nobody sets.

const FEED = document.querySelector('meta[name="feed"]')?.content ?? "";
const KINDS = "opened closes held locked drawn void settled certified frozen released".split(" ");
const OFTEN = 1000; // without the feed
const SELDOM = 15000; // with it
const SILENCE = 5000; // the feed tells the seconds, so it does not say nothing for this long
const TICK = 200;

/**
 * Watch one series.
 *   look       asks for everything and shows it; it fails if no answer comes
 *   left       is told how many seconds a game is still sold for
 *   connected  is told whether the last answer came
 *   tick       is called a few times a second
 */
export function watch(series, { look, left, connected, tick }) {
  let source = null;
  let busy = false;
  let again = false;
  let looked = -Infinity;
  let heard = -Infinity;
  let opened = -Infinity;

  async function lookNow() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    looked = performance.now();
    try {
      await look();
      connected(true);
    } catch {
      connected(false);
      again = false;
    }
    looked = performance.now();
    busy = false;
    if (again) {
      again = false;
      lookNow();
    }
  }

  function listen() {
    opened = performance.now();
    source = new EventSource(FEED);
    source.onopen = lookNow;
    source.onerror = () => {
      heard = -Infinity;
    };
    const told = (event) => {
      heard = performance.now();
      return JSON.parse(event.data);
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        if (told(event).series === series) lookNow();
      });
    }
    source.addEventListener("left", (event) => {
      const facts = told(event);
      if (facts.series === series) left(facts);
    });
  }

  setInterval(() => {
    const now = performance.now();
    if (FEED && source?.readyState !== EventSource.OPEN && now - opened > SILENCE) {
      // A browser gives up on a feed that answers with a fault; the board does not.
      source?.close();
      listen();
    }
    if (now - looked > (now - heard < SILENCE ? SELDOM : OFTEN)) lookNow();
    tick(now);
  }, TICK);
  lookNow();
}
