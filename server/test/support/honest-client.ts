/** Measurements of a client that sends small requests while something expensive runs. Times are in milliseconds. */
export type CallTimes = {
  requests: number;
  /** Wall-clock time, including time that other programs take. */
  longestWait: number;
  /** The most CPU time that this process used during one wait, converted to an idle machine. */
  longestWork: number;
};

const parsed = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` })));
/** Milliseconds of CPU time for parsing the text ten times on an idle machine. */
const idleMilliseconds = 40;

/**
 * How many times slower this machine is now than when idle, because other programs use its caches and cores.
 */
export function slowdown(): number {
  const used = process.threadCpuUsage();
  for (let time = 0; time < 10; time++) JSON.parse(parsed);
  const { user, system } = process.threadCpuUsage(used);
  return Math.max(1, (user + system) / 1_000 / idleMilliseconds);
}

/** Calls repeatedly until `work` ends. The service must run in this process. */
export async function measureDuring(
  call: () => Promise<unknown>,
  work: Promise<unknown>,
): Promise<CallTimes> {
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
  return { ...noticed, longestWork: noticed.longestWork / slowdown() };
}
