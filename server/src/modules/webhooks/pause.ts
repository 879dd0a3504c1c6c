/** A pause that can be interrupted. */
export type Pause = { begin: (milliseconds: number) => Promise<void>; end: () => void };

export function openPause(): Pause {
  let end = () => {};
  return {
    begin: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
