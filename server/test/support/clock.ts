/** A clock that runs like the real one and can be moved by a test. It never returns the same time twice. */
export function movableClock() {
  let ahead = 0;
  let last = 0;
  return {
    /**
     * Each time is later than the previous one. Code that wrongly reads the time twice for one action
     * therefore always fails, and not only in one of a thousand runs.
     */
    now: () => {
      last = Math.max(last + 1, Date.now() + ahead);
      return new Date(last);
    },
    advance(span: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
      const { seconds = 0, minutes = 0, hours = 0, days = 0 } = span;
      const milliseconds = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
      ahead += milliseconds;
      // This clock may be ahead of the real one, because each reading is later than the previous one.
      last += milliseconds;
    },
  };
}
