import type { RunTimeData } from '../scorm/data-model/types.ts';

/** What can be stored. The player, the service's run-time API, AICC and the learning record store share these limits. */
export const storageLimits = {
  /** Characters of a value in the run-time data. SCORM guarantees at most 64,000. */
  valueCharacters: 262_144,
  /** Characters of shared data in a bucket (RTE 4th §4.3.1). */
  bucketCharacters: 64_000,
  /** Elements of a unit's run-time data. */
  unitElements: 10_000,
  /** Bytes of a unit's run-time data as JSON. Leaves room in a commit for the tree of most courses. */
  unitBytes: 1_000_000,
  /** Bytes of the run-time data of all units of an enrolment, because a launch reads and sends all of them. */
  enrolmentBytes: 4 * 1024 ** 2,
  /** Characters of an activity tree. */
  treeCharacters: 524_288,
  /** Bytes of a commit's body. This is also the default of nginx. */
  commitBytes: 1024 ** 2,
  /** Bytes of a HACP request's body, which is percent-encoded. */
  hacpBytes: 4 * 1024 ** 2,
  /** Bytes of a document or request in the learning record store. */
  documentBytes: 4 * 1024 ** 2,
} as const;

/** Longer values are not results, such as a status or a score. */
const longestResult = 1_000;
/** Elements that are kept free for results. Each data model has fewer than 100 outside its lists. */
const resultElements = 100;

/** Size of an element in the JSON of a unit's data: its name and value with quotes, a colon and a comma. */
export function bytesOfElement(name: string, value: string): number {
  return utf8Bytes(JSON.stringify(name)) + utf8Bytes(JSON.stringify(value)) + 2;
}

/** `JSON.stringify` escapes unpaired surrogates, so every surrogate here is half of a pair. */
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

export type UsedSpace = { elements: number; bytes: number };

/** Whether the element fits into the unit's data. Short values outside lists always do, so that results count. */
export function hasSpace(used: UsedSpace, value: string, isInList: boolean): boolean {
  if (!isInList && value.length <= longestResult) return true;
  return (
    used.elements <= storageLimits.unitElements - resultElements && used.bytes <= storageLimits.unitBytes
  );
}

/** Whether the service stores the data, whose size as JSON is `bytes`. */
export function fitsUnit(data: RunTimeData, bytes: number): boolean {
  const values = Object.values(data);
  return (
    bytes <= storageLimits.unitBytes + resultElements * longestResult &&
    values.length <= storageLimits.unitElements &&
    values.every(({ length }) => length <= storageLimits.valueCharacters)
  );
}

/** The elements on which results depend. */
export function resultsOnly(data: RunTimeData): RunTimeData {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, { length }]) => length <= longestResult && !/^cmi\.(?:interactions|comments)/.test(name),
    ),
  );
}
