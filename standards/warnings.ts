import { type PackageWarning, type Severity, severities } from './types.ts';

/**
 * Records a deviation. `topic` groups similar deviations. After 20 deviations with the same topic, only the
 * number of further ones is reported.
 */
export type Warn = (severity: Severity, message: string, line?: number | null, topic?: string) => void;

const perTopic = 20;
const total = 500;
/** In characters. A limit is needed because names and paths in packages can have any length. */
const maxLength = 1_000;

type Topic = { severity: Severity; count: number };

/** The list starts with the errors. Errors are recorded even if the maximum number of warnings is reached. */
export function createWarnings(): { warn: (file: string | null) => Warn; list: () => PackageWarning[] } {
  const warnings: PackageWarning[] = [];
  const topics = new Map<string, Topic>();
  const warn =
    (file: string | null): Warn =>
    (severity, message, line = null, topic) => {
      const known = (topic !== undefined && topics.get(topic)) || { severity, count: 0 };
      if (topic !== undefined)
        topics.set(topic, { severity: worse(severity, known.severity), count: known.count + 1 });
      if (known.count >= perTopic || (severity !== 'error' && warnings.length >= total)) return;
      warnings.push({
        Severity: severity,
        Message: message.slice(0, maxLength).toWellFormed(),
        File: file,
        Line: line,
      });
    };
  const list = () => {
    const more = [...topics].filter(([, { count }]) => count > perTopic);
    const summaries = more.map(([topic, { severity, count }]) => ({
      Severity: severity,
      Message: `${count - perTopic} more of this kind: ${topic}.`,
      File: null,
      Line: null,
    }));
    return [...warnings, ...summaries].sort((a, b) => rank(a.Severity) - rank(b.Severity));
  };
  return { warn, list };
}

const rank = (severity: Severity) => severities.indexOf(severity);
const worse = (a: Severity, b: Severity) => (rank(a) < rank(b) ? a : b);
