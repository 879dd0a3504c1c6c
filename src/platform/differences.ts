/** The names of the sent fields whose values are not those of the record. */
export function differences(sent: Record<string, unknown>, record: Record<string, unknown>): string[] {
  return Object.keys(sent).filter((name) => JSON.stringify(sent[name]) !== JSON.stringify(record[name]));
}
