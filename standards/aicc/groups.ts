/** The groups of a message, by their names in lower case. */
export type Groups = ReadonlyMap<string, Group>;

/** A group of a message: its values by name in lower case, and its text as written (for free text). */
export type Group = { values: ReadonlyMap<string, string>; text: string };

/** Groups that contain free text written by the content. The text can contain brackets and equals signs. */
const freeText = new Set(['core_lesson', 'core_vendor', 'comments']);

/** Within free text, a name in brackets starts a new group only if it is one of these names. */
const known = new Set([
  ...freeText,
  ...['core', 'evaluation', 'objectives_status', 'student_data', 'student_demographics'],
  'student_preferences',
]);

/** Reads the groups of `aicc_data`: `[Core]`, followed by lines such as `Lesson_Status=C`. */
export function readGroups(data: string): Groups {
  const found = new Map<string, { values: Map<string, string>; lines: string[] }>();
  let name = '';
  for (const line of data.split(/\r\n|\r|\n/)) {
    const heading = headingOf(line);
    if (heading !== null && (known.has(heading) || !freeText.has(name))) {
      name = heading;
      found.set(name, { values: new Map(), lines: [] });
      continue;
    }
    const group = found.get(name);
    group?.lines.push(line);
    const equals = line.indexOf('=');
    if (equals > 0 && !freeText.has(name) && !line.trimStart().startsWith(';'))
      group?.values.set(line.slice(0, equals).trim().toLowerCase(), line.slice(equals + 1).trim());
  }
  return new Map([...found].map(([name, { values, lines }]) => [name, { values, text: textOf(lines) }]));
}

function headingOf(line: string): string | null {
  if (line.length > 200) return null;
  const trimmed = line.trim();
  return trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1).trim().toLowerCase() : null;
}

/**
 * Removes empty lines at the end. Otherwise, content that sends back the text it received would add an empty
 * line each time.
 */
function textOf(lines: string[]): string {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1).join('\r\n');
}
