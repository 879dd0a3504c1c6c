import type { PackageWarning } from './types.ts';

/** Records a deviation. `topic` groups repeated ones: after 20 of them, only their number is reported. */
export type Warn = (message: string, line?: number | null, topic?: string) => void;

const perTopic = 20;
const total = 500;

export function createWarnings(): { warn: (file: string | null) => Warn; list: () => PackageWarning[] } {
  const warnings: PackageWarning[] = [];
  const counts = new Map<string, number>();
  const warn =
    (file: string | null): Warn =>
    (message, line = null, topic) => {
      const count = topic === undefined ? 0 : (counts.get(topic) ?? 0);
      if (topic !== undefined) counts.set(topic, count + 1);
      if (count >= perTopic || warnings.length >= total) return;
      warnings.push({ Message: message, File: file, Line: line });
    };
  const list = () => {
    const more = [...counts].filter(([, count]) => count > perTopic);
    const summaries = more.map(([topic, count]) => ({
      Message: `${count - perTopic} more of this kind: ${topic}.`,
      File: null,
      Line: null,
    }));
    return [...warnings, ...summaries];
  };
  return { warn, list };
}
