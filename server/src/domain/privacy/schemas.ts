import Type from 'typebox';
import { Fields, Instant, Nullable } from '../../http/validation/schema.ts';
import { Tenant } from '../tenants/schemas.ts';

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
