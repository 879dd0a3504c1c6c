/** A clock that runs like the real one, that a test can move, and of which no two readings are equal. */
export function movableClock() {
  let ahead = 0;
  let last = 0;
  return {
    /** What reads the time twice for one deed is seen to have done so, each time and not once in a thousand. */
    now: () => {
      last = Math.max(last + 1, Date.now() + ahead);
      return new Date(last);
    },
    advance(span: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
      const { seconds = 0, minutes = 0, hours = 0, days = 0 } = span;
      ahead += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
      last = 0;
    },
  };
}
