/** Content sets values in bursts; one snapshot after each is enough, and soon enough to survive a crash. */
const burst = 250;

export type Autosave = { touch(): void; cancel(): void };

export function createAutosave(save: () => void): Autosave {
  let timer: number | undefined;
  const cancel = () => window.clearTimeout(timer);
  return {
    cancel,
    touch() {
      cancel();
      timer = window.setTimeout(save, burst);
    },
  };
}
