/** A clock that runs like the real one, and that a test can move. */
export function movableClock() {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance(span: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
      const { seconds = 0, minutes = 0, hours = 0, days = 0 } = span;
      ahead += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
    },
  };
}
