import type { Element, Text, Vocabulary } from './vocabulary.ts';

/** The attributes of the XML namespace. */
export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
export const xmlXsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${xmlNamespace}">
<xs:attribute name="lang" type="xs:string"/><xs:attribute name="base" type="xs:anyURI"/><xs:attribute name="space" type="xs:NCName"/>
</xs:schema>`;

const occurs = {
  '': '',
  '?': ' minOccurs="0"',
  '*': ' minOccurs="0" maxOccurs="unbounded"',
  '+': ' maxOccurs="unbounded"',
};
const otherElements = (how: string) =>
  `<xs:any namespace="##other" processContents="${how}" minOccurs="0" maxOccurs="unbounded"/>`;
const otherAttributes = (how: string) => `<xs:anyAttribute namespace="##other" processContents="${how}"/>`;

function simpleType(text: Exclude<Text, string>): string {
  const facets =
    'values' in text
      ? text.values.map((value) => `<xs:enumeration value="${value}"/>`).join('')
      : 'maxCharacters' in text
        ? `<xs:maxLength value="${text.maxCharacters}"/>`
        : `<xs:minInclusive value="${text.min}"/><xs:maxInclusive value="${text.max}"/>`;
  return `<xs:simpleType><xs:restriction base="xs:${text.base}">${facets}</xs:restriction></xs:simpleType>`;
}

/** An element or attribute with text of this type. */
function declaration(kind: 'attribute' | 'element', name: string, text: Text, more = ''): string {
  return typeof text === 'string'
    ? `<xs:${kind} name="${name}" type="xs:${text}"${more}/>`
    : `<xs:${kind} name="${name}"${more}>${simpleType(text)}</xs:${kind}>`;
}

function attribute([named, text]: [string, Text]): string {
  const isRequired = named.endsWith('!');
  const name = isRequired ? named.slice(0, -1) : named;
  const use = isRequired ? ' use="required"' : '';
  return name.startsWith('xml:')
    ? `<xs:attribute ref="${name}"${use}/>`
    : declaration('attribute', name, text, use);
}

function child(part: string): string {
  const [, name = '', kind, times = ''] = /^(\w+)(?::(\w+))?([?*+]?)$/.exec(part) ?? [];
  return `<xs:element name="${name}" type="v:${kind ?? name}"${occurs[times as keyof typeof occurs]}/>`;
}

function complexType(name: string, { children, text, attributes, others }: Element): string {
  const declared =
    Object.entries(attributes ?? {})
      .map(attribute)
      .join('') + (others ? otherAttributes(others) : '');
  const open = `<xs:complexType name="${name}">`;
  if (text !== undefined) {
    const base = typeof text === 'string' ? `xs:${text}` : `v:${name}.text`;
    const named =
      typeof text === 'string'
        ? ''
        : simpleType(text).replace('<xs:simpleType>', `<xs:simpleType name="${name}.text">`);
    return `${named}${open}<xs:simpleContent><xs:extension base="${base}">${declared}</xs:extension></xs:simpleContent></xs:complexType>`;
  }
  const parts =
    (children ?? '').split(' ').filter(Boolean).map(child).join('') + (others ? otherElements(others) : '');
  return `${open}${parts && `<xs:sequence>${parts}</xs:sequence>`}${declared}</xs:complexType>`;
}

/**
 * Converts the vocabulary to an XML Schema (W3C XML Schema 1.0). The schema imports the XML attributes from
 * `xmlLocation`.
 */
export function xsdOf({ namespace, roots, attributes, elements }: Vocabulary, xmlLocation: string): string {
  return [
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:v="${namespace}" targetNamespace="${namespace}" elementFormDefault="qualified">`,
    `<xs:import namespace="${xmlNamespace}" schemaLocation="${xmlLocation}"/>`,
    ...Object.entries(attributes).map(attribute),
    ...roots.map((name) => `<xs:element name="${name}" type="v:${name}"/>`),
    ...Object.entries(elements).map(([name, rules]) => complexType(name, rules)),
    '</xs:schema>',
  ].join('\n');
}
