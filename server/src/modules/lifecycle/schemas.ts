import Type from 'typebox';
import { Fields, Instant, Nullable } from '../../platform/schema.ts';
import { Tenant } from '../tenants/schemas.ts';

const Data = Type.String({ description: 'The kind of data: the Type of its lines in the export.' });
const Records = Type.Integer({ minimum: 0, description: 'How many records there were.' });

export const TenantDeletion = Fields(
  {
    ReceiptID: Nullable(Type.String({ description: 'Opaque; null in a plan.' })),
    TenantID: Tenant.properties.TenantID,
    Plan: Type.Boolean({ description: 'True: nothing was changed, this is what would be deleted.' }),
    StartedAt: Nullable(
      Instant(
        'From then on the tenant does not exist for anybody. Its data is deleted in the background; the TenantID can be used again when that is done.',
      ),
    ),
    Deleted: Type.Array(Fields({ Data, Records, What: Type.String() })),
    Kept: Type.Array(Fields({ Data: Type.String(), What: Type.String(), Why: Type.String() })),
  },
  { title: 'TenantDeletion', description: 'What is deleted of a tenant, what is kept, and why.' },
);
export type TenantDeletion = Type.Static<typeof TenantDeletion>;
