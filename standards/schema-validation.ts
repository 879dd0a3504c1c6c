import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlElement,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { type Edition, vocabularies } from './manifest-vocabulary.ts';
import { xmlNamespace, xmlXsd, xsdOf } from './manifest-xsd.ts';
import { describeViolation } from './schema-violations.ts';
import type { Standard } from './types.ts';
import type { Warn } from './warnings.ts';
import { lineOf } from './xml.ts';

const general = ['', xmlNamespace, 'http://www.w3.org/2001/XMLSchema-instance'];
const maxViolations = 50;

const compiled = new Map<Edition, XsdValidator>();
let registered = false;

/**
 * Warns where the manifest violates the schemas of its standard. Modifies the document: foreign elements are
 * removed before validation.
 */
export function validateManifest(document: XmlDocument, standard: Standard, warn: Warn): void {
  const edition = editionOf(standard);
  removeForeign(
    document.root,
    new Set([...general, ...vocabularies[edition].map(({ namespace }) => namespace)]),
  );
  try {
    validatorOf(edition).validate(document);
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    const effect = 'The course plays, but this part may have no effect for the learner';
    for (const { line, message } of error.details.slice(0, maxViolations)) {
      warn(
        'note',
        `The manifest differs from the ${standard} schema: ${describeViolation(message)}. ${effect}`,
        lineOf(line),
      );
    }
    const more = error.details.length - maxViolations;
    if (more > 0) warn('note', `The manifest differs from the ${standard} schema in ${more} more places`);
  }
}

function editionOf(standard: Standard): Edition {
  if (standard === 'scorm12' || standard === 'scorm2004-4th') return standard;
  return 'scorm2004-3rd';
}

/**
 * Extensions of authoring tools and learning object metadata are allowed, so they are removed before
 * validation.
 */
function removeForeign(element: XmlElement, known: Set<string>): void {
  for (const attribute of element.attrs) if (!known.has(attribute.namespaceUri)) attribute.remove();
  for (let child = element.firstChild; child; ) {
    const next = child.next;
    if (child instanceof XmlElement) {
      if (known.has(child.namespaceUri)) removeForeign(child, known);
      else child.remove();
    }
    child = next;
  }
}

function validatorOf(edition: Edition): XsdValidator {
  const known = compiled.get(edition);
  if (known) return known;
  if (!registered) xmlRegisterInputProvider(new XmlBufferInputProvider(schemaTexts()));
  registered = true;
  const imports = vocabularies[edition].map(
    ({ namespace }, at) => `<import namespace="${namespace}" schemaLocation="${schemaUrl(edition, at)}"/>`,
  );
  const text = `<schema xmlns="http://www.w3.org/2001/XMLSchema">${imports.join('')}</schema>`;
  const document = XmlDocument.fromString(text, { url: schemaUrl(edition, 'all') });
  try {
    const validator = XsdValidator.fromDoc(document);
    compiled.set(edition, validator);
    return validator;
  } finally {
    document.dispose();
  }
}

function schemaUrl(edition: Edition, name: number | string): string {
  return `lectern-schemas:/${edition}/${name}.xsd`;
}

const xmlUrl = 'lectern-schemas:/xml.xsd';

function schemaTexts(): Record<string, Uint8Array> {
  const encoder = new TextEncoder();
  const texts: Record<string, Uint8Array> = { [xmlUrl]: encoder.encode(xmlXsd) };
  for (const edition of Object.keys(vocabularies) as Edition[])
    for (const [at, vocabulary] of vocabularies[edition].entries())
      texts[schemaUrl(edition, at)] = encoder.encode(xsdOf(vocabulary, xmlUrl));
  return texts;
}
