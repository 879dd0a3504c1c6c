import type { components } from '../../../client/src/generated.ts';

type NewUser = components['schemas']['NewUser'];

/** Whether an import updates users who already exist, and whether it creates new users. */
export type Existing = { update: boolean; create: boolean };
export const defaultExisting: Existing = { update: false, create: true };

/** Fields that are added to every row, unless the file has them. */
export type AddedFields = Readonly<Pick<NewUser, 'IfExists' | 'IfMissing'>>;

export const choices = ['IfExists', 'IfMissing'] as const satisfies readonly (keyof NewUser)[];

export function addedFields({ update, create }: Existing, fields: readonly (string | null)[]): AddedFields {
  const wanted = { ...(update && { IfExists: 'update' }), ...(!create && { IfMissing: 'fail' }) } as const;
  const left = Object.entries(wanted).filter(([name]) => !fields.includes(name));
  return Object.fromEntries(left);
}

/** Adds fields to a JSON line. They come first, because parsers keep the last of two members with the same name. */
export function withFields(row: string, added: AddedFields): string {
  const members = JSON.stringify(added).slice(1, -1);
  return members === '' ? row : row.replace(/^\s*\{(?=\s*")/, () => `{${members},`);
}
