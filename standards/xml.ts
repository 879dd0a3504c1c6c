import {
  ParseOption,
  XmlCData,
  XmlDocument,
  XmlElement as XmlElementNode,
  XmlParseError,
  XmlText,
} from 'libxml2-wasm';
import { PackageRejection } from './rejection.ts';
import type { Warn } from './warnings.ts';
import { decodeXml, hasDoctype } from './xml-text.ts';

export type XmlAttribute = { name: string; namespace: string; value: string };

/** An element as plain data. Names have no prefix, so missing or wrong namespaces do not matter. */
export type XmlElement = {
  name: string;
  namespace: string;
  attributes: XmlAttribute[];
  children: XmlElement[];
  text: string;
  /** Null if the parser does not know it. */
  line: number | null;
};

export const maxXmlBytes = 16 * 1_048_576;
const maxElements = 200_000;

/** Parses a file from the package and passes it to `use`. The document is freed afterwards. */
export function withXml<Result>(
  bytes: Uint8Array,
  file: string,
  warn: Warn,
  use: (root: XmlElement, document: XmlDocument) => Result,
): Result {
  if (bytes.length > maxXmlBytes) throw invalid(file, null, 'it is larger than 16 MiB');
  const text = decodeXml(bytes, warn);
  if (text === null) throw invalid(file, 1, 'it is not valid UTF-16 text');
  if (hasDoctype(text)) throw doctypeProblem(file);
  const document = parseDocument(text, file, warn);
  try {
    if (document.dtd) throw doctypeProblem(file);
    return use(plainElement(document.root, { left: maxElements, file }), document);
  } finally {
    document.dispose();
  }
}

export function invalid(file: string, line: number | null, what: string): PackageRejection {
  const where = line === null ? file : `${file}, line ${line}`;
  const detail = `${where}: ${what}. Correct it in the authoring tool, export it again, and upload the new package.`;
  return new PackageRejection('package_invalid', detail, line === null ? { file } : { file, line });
}

function doctypeProblem(file: string): PackageRejection {
  const detail = `${file} has a document type declaration (DOCTYPE), which no course manifest needs and which can make a parser fetch external data. Remove it and upload the package again.`;
  return new PackageRejection('package_unsafe', detail, { file });
}

function parseDocument(text: string, file: string, warn: Warn): XmlDocument {
  const option =
    ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_IGNORE_ENC;
  try {
    return XmlDocument.fromString(text, { option });
  } catch (error) {
    const details = error instanceof XmlParseError ? error.details : [];
    const fatal = details.find(({ level }) => level >= 3);
    // libxml2 gives no message when it runs out of memory.
    if (fatal?.message.trim() === '') throw invalid(file, null, 'it needs too much memory to read');
    if (fatal)
      throw invalid(
        file,
        fatal.line,
        `the XML is malformed at ${excerpt(text, fatal)}. An element is not closed there, or a character is not allowed`,
      );
    const tolerated = details.length > 0 && tryParse(text, option | ParseOption.XML_PARSE_NOERROR);
    if (!tolerated) throw invalid(file, null, 'it is empty or not XML');
    for (const detail of details) {
      warn(
        'note',
        `A namespace is not declared correctly at ${excerpt(text, detail)}. The names were recognised anyway`,
        detail.line,
        'undeclared namespace prefixes',
      );
    }
    return tolerated;
  }
}

function tryParse(text: string, option: ParseOption): XmlDocument | null {
  try {
    return XmlDocument.fromString(text, { option });
  } catch {
    return null;
  }
}

const excerptLength = 80;

/** What the author wrote at this place. The library's own messages are for programmers. */
function excerpt(text: string, { line, col }: { line: number; col: number }): string {
  let start = 0;
  for (let n = 1; n < line && start >= 0; n++) start = text.indexOf('\n', start) + 1 || -1;
  if (start < 0) return 'the end of the file';
  const end = text.indexOf('\n', start);
  const own = text.slice(start, end < 0 ? text.length : end);
  const from = Math.max(0, Math.min(col, own.length) - excerptLength);
  const shown = collapse(own.slice(from, from + 2 * excerptLength));
  return shown === '' ? 'the end of the file' : `"${shown.toWellFormed()}"`;
}

/** libxml2 stores the lines of elements in 16 bits. */
export function lineOf(line: number): number | null {
  return line < 65_535 ? line : null;
}

function plainElement(node: XmlElementNode, budget: { left: number; file: string }): XmlElement {
  budget.left -= 1;
  if (budget.left < 0)
    throw invalid(budget.file, lineOf(node.line), `it has more than ${maxElements} elements`);
  const children: XmlElement[] = [];
  let text = '';
  for (let child = node.firstChild; child; child = child.next) {
    if (child instanceof XmlElementNode) children.push(plainElement(child, budget));
    else if (child instanceof XmlText || child instanceof XmlCData) text += child.content;
  }
  const attributes = node.attrs.map((attribute) => ({
    name: localName(attribute.name),
    namespace: attribute.namespaceUri || prefixOf(attribute.name),
    value: attribute.value,
  }));
  const namespace = node.namespaceUri || prefixOf(node.name);
  return { name: localName(node.name), namespace, attributes, children, text, line: lineOf(node.line) };
}

/** An undeclared prefix is treated as a namespace. */
function prefixOf(name: string): string {
  return name.includes(':') ? name.slice(0, name.indexOf(':')) : '';
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function childrenOf(element: XmlElement | null, name: string): XmlElement[] {
  return element?.children.filter((child) => sameName(child.name, name)) ?? [];
}

export function childOf(element: XmlElement | null, name: string): XmlElement | null {
  return element?.children.find((child) => sameName(child.name, name)) ?? null;
}

/**
 * Ignores case and namespaces because names such as `adlcp:scormtype` and `adlcp:scormType` are often
 * confused.
 */
export function attributeOf(element: XmlElement | null, name: string): string | null {
  const found = element?.attributes.filter((attribute) => sameName(attribute.name, name)) ?? [];
  return (found.find(({ namespace }) => namespace === '') ?? found[0])?.value ?? null;
}

/** A child's text with white space collapsed. Null if it is absent or blank. */
export function textOf(element: XmlElement | null, name: string): string | null {
  return collapse(childOf(element, name)?.text ?? '') || null;
}

export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
