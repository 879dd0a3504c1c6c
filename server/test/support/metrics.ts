/** The samples in /metrics, keyed by name and labels exactly as they are written there. */
export async function readMetrics(service: { baseUrl: string }): Promise<Map<string, number>> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** How much the samples increase during an action. */
export async function growthOf(
  read: () => Promise<Map<string, number>>,
  work: () => Promise<unknown>,
): Promise<(sample: string) => number> {
  const before = await read();
  await work();
  const after = await read();
  return (sample) => (after.get(sample) ?? 0) - (before.get(sample) ?? 0);
}
