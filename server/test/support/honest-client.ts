/** What a caller with small requests noticed while something heavy was going on, in milliseconds. */
export type Noticed = {
  requests: number;
  /** By the clock, which also counts what other programs of this machine took. */
  longestWait: number;
  /** How much of one wait this process was working: what a free machine would show. */
  longestWork: number;
};

/** Calls again and again until `work` ends. The service must run in this process. */
export async function callBeside(call: () => Promise<unknown>, work: Promise<unknown>): Promise<Noticed> {
  const noticed = { requests: 0, longestWait: 0, longestWork: 0 };
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) {
    const start = performance.now();
    const used = process.threadCpuUsage();
    await call();
    const { user, system } = process.threadCpuUsage(used);
    noticed.requests++;
    noticed.longestWait = Math.max(noticed.longestWait, performance.now() - start);
    noticed.longestWork = Math.max(noticed.longestWork, (user + system) / 1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return noticed;
}
