import AjvPackage from 'ajv';
import formatsPackage from 'ajv-formats';

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

const rfc3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, and an instant that JavaScript and PostgreSQL can both hold: no leap second, no 30 February, no year 0. */
function isInstant(text: string): boolean {
  const [, day] = rfc3339.exec(text) ?? [];
  const year = new Date(text).getUTCFullYear();
  if (!day || !(year >= 1 && year <= 9999)) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Bodies are taken as they are, without coercion; query and path texts become the numbers and booleans declared. */
export function buildValidators() {
  const common = { allErrors: false, removeAdditional: false, strict: false } as const;
  const strict = addFormats(new Ajv({ ...common, useDefaults: false, coerceTypes: false }));
  const coercing = addFormats(new Ajv({ ...common, useDefaults: true, coerceTypes: true }));
  for (const ajv of [strict, coercing]) ajv.addFormat('date-time', isInstant);
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) =>
    httpPart === 'body' ? strict.compile(schema) : coercing.compile(schema);
}

/** Checks rows of bulk data: JSON as it is; the texts of CSV become the booleans and numbers declared. */
export function compileRows(schema: object, texts: boolean) {
  const options = { removeAdditional: false, strict: false, useDefaults: false, coerceTypes: texts } as const;
  const ajv = addFormats(new Ajv(options));
  ajv.addFormat('date-time', isInstant);
  return ajv.compile(schema);
}
