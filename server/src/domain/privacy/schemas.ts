import Type from 'typebox';
import { Fields, Identifier, Instant, Nullable, Text } from '../../http/validation/schema.ts';
import { Tenant } from '../tenants/schemas.ts';
import { LoginID } from '../users/schemas.ts';

export const HoldID = {
  ...Identifier('Chosen by you, for example the number of a case.', 100),
  examples: ['case-2026-17'],
};

export const LegalHold = Fields(
  {
    HoldID,
    LoginID,
    Reason: Text(500, {
      minLength: 1,
      examples: ['Litigation 2026/17'],
      description: 'Why the data must be kept.',
    }),
    PlacedAt: Instant(),
  },
  { title: 'LegalHold', description: 'Why a person must not be erased.' },
);
export type LegalHold = Type.Static<typeof LegalHold>;

export const LegalHoldChange = Fields({ Reason: LegalHold.properties.Reason }, { title: 'LegalHoldChange' });

const Data = Type.String({ description: 'The kind of data: the Type of its lines in the export.' });
/** Maximum records counted per kind, because counting millions would take as long as reading them. */
export const maxCounted = 10_000;
const Records = Type.Integer({
  minimum: 0,
  description: `Number of records. Counting stops at ${maxCounted}.`,
});
const More = Type.Boolean({ description: 'true if there are more records than were counted.' });

export const TenantDeletion = Fields(
  {
    ReceiptID: Nullable(Type.String({ description: 'Opaque ID; null in a plan.' })),
    TenantID: Tenant.properties.TenantID,
    Plan: Type.Boolean({
      description: 'true for a plan: nothing was changed, and the counts show what would be deleted.',
    }),
    StartedAt: Nullable(
      Instant(
        'When the tenant was deleted. Its data is removed in the background; the TenantID can be reused when that is finished.',
      ),
    ),
    Deleted: Type.Array(Fields({ Data, Records, More, What: Type.String() })),
    Kept: Type.Array(Fields({ Data: Type.String(), What: Type.String(), Why: Type.String() })),
  },
  {
    title: 'TenantDeletion',
    description: 'What is deleted when a tenant is deleted, what is kept, and why.',
  },
);
export type TenantDeletion = Type.Static<typeof TenantDeletion>;
