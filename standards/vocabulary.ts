// The building blocks of manifest vocabularies.

/** A text type: the name of an XML Schema type, or an XML Schema type with restrictions. */
export type Text =
  | 'string'
  | 'boolean'
  | 'anyURI'
  | 'ID'
  | 'IDREF'
  | 'nonNegativeInteger'
  | 'duration'
  | 'dateTime'
  | { base: 'string' | 'anyURI'; maxCharacters: number }
  | { base: 'decimal'; min: number; max: number }
  | { base: 'token'; values: readonly string[] };

export type Element = {
  /**
   * Child elements in order: `name` (exactly once), `name?`, `name*`, `name+`. In `name:kind`, `kind` is the
   * key of the rules for the element. Elements of other namespaces come last.
   */
  children?: string;
  text?: Text;
  /** Attributes by name. A trailing `!` means that the attribute is required. */
  attributes?: Readonly<Record<string, Text>>;
  /**
   * Whether elements and attributes of other namespaces are allowed. `strict` allows only those that another
   * vocabulary declares.
   */
  others?: 'strict' | 'lax';
};

export type Vocabulary = {
  namespace: string;
  /** Global elements, which may appear wherever another schema allows foreign elements. */
  roots: readonly string[];
  /** Attributes allowed on elements of other namespaces. */
  attributes: Readonly<Record<string, Text>>;
  elements: Readonly<Record<string, Element>>;
};

export const upTo = (maxCharacters: number): Text => ({ base: 'string', maxCharacters });
export const oneOf = (...values: string[]): Text => ({ base: 'token', values });
export const between = (min: number, max: number): Text => ({ base: 'decimal', min, max });

export const fraction = between(0, 1);
export const measure = between(-1, 1);

export function flags(...names: string[]): Record<string, Text> {
  return Object.fromEntries(names.map((name) => [name, 'boolean']));
}
