import type { TenantContext } from '../../platform/context.ts';
import { keyedHash } from '../../platform/keys/signing.ts';
import { allPersonalData } from './all-personal-data.ts';
import type { Erasure } from './schemas.ts';

/** Identifies a receipt without revealing the LoginID. */
export const loginHash = (ctx: TenantContext, loginId: string): string =>
  keyedHash(ctx.keys, 'erasure', `${ctx.tenantId}\0${loginId}`);

// Stored responses are not in `allPersonalData`, because they do not belong to a single person.
export const storedResponses = 'StoredResponses';

const responsesErased =
  'Stored responses to requests that named the person. If such a request is repeated, it is rejected.';

/** The receipt itself, which every receipt lists. */
const alwaysKept = {
  Data: 'Receipt',
  Records: 1,
  More: false,
  What: 'This receipt, which can be found by a keyed hash of the LoginID.',
  Why: 'It proves the erasure and is returned if the request is repeated. It does not reveal the LoginID.',
};

/** `More` is true if counting stopped at the limit. */
export type Count = { Records: number; More: boolean };

export function receiptOf(countOf: (name: string) => Count): Pick<Erasure, 'Erased' | 'Kept'> {
  return {
    Erased: [
      ...allPersonalData.flatMap(({ name, erased }) =>
        erased === null ? [] : [{ Data: name, ...countOf(name), What: erased }],
      ),
      { Data: storedResponses, ...countOf(storedResponses), What: responsesErased },
    ],
    Kept: [
      ...allPersonalData.flatMap(({ name, retained }) =>
        retained === null ? [] : [{ Data: name, ...countOf(name), What: retained.what, Why: retained.why }],
      ),
      alwaysKept,
    ],
  };
}
