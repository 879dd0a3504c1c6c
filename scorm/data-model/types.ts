/** The editions of SCORM. Each has its own data model. */
export type Edition = 'scorm12' | 'scorm2004-2nd' | 'scorm2004-3rd' | 'scorm2004-4th';

/** The run-time data of one unit: element names and values, such as `cmi.location` and `page-3`. */
export type RunTimeData = Record<string, string>;

/**
 * The result of checking a value. Some values that break the specification are accepted, because existing
 * content uses them. In that case, `note` describes the deviation.
 */
export type CheckResult = 'valid' | 'wrong type' | 'out of range' | { note: string };

export type Check = (text: string) => CheckResult;

export type Access = 'read' | 'write' | 'both';

/** One row of a data model table. In names, `n` represents an index: `cmi.objectives.n.id`. */
export type Element = {
  name: string;
  access: Access;
  check: Check;
  /** The initial value. An element without one is not initialised. */
  initial?: string;
  /** Both kinds are unique within the list. `once` can never be changed; `unique` can. */
  identity?: 'once' | 'unique';
  /** Elements of the same list member that must be set first. */
  needs?: readonly string[];
  /** The format depends on the interaction's type: see `responses.ts`. */
  format?: 'response' | 'pattern';
  /**
   * Shared data. Each unit's manifest says whether the unit may read or write the bucket. Writing an empty
   * text empties the bucket.
   */
  isShared?: true;
};

/** A list of members, or a group of elements. Both support `_children`, and a list also supports `_count`. */
export type Collection = { name: string; kind: 'list' | 'group'; children: string };

export type Model = {
  elements: ReadonlyMap<string, Element>;
  collections: ReadonlyMap<string, Collection>;
  /** The value of `cmi._version`. */
  version: string;
};

/** Shared data in `adl.data` (4th edition), with the access rights from this unit's manifest. */
export type Bucket = { id: string; store: string | null; read: boolean; write: boolean };

/**
 * The reasons why a value cannot be read or set. `codes.ts` maps them to each SCORM version's error codes.
 */
export const problems = [
  'undefined',
  'read only',
  'write only',
  'keyword',
  'not initialised',
  'no children',
  'no count',
  'no version',
  'no such member',
  'out of order',
  'dependency',
  'not unique',
  'wrong type',
  'out of range',
  'too long',
  'no space',
] as const;
export type Problem = (typeof problems)[number];

/** A value that the content set but that was not accepted. `value` is only its beginning. */
export type Refusal = { element: string; value: string; problem: Problem };
