import type { TenantContext } from '../../platform/context.ts';
import { mark } from '../../platform/keys/signing.ts';
import { heldData } from './held.ts';
import type { Erasure } from './schemas.ts';

/** By which a receipt is found; the LoginID cannot be read from it. */
export const erasureMark = (ctx: TenantContext, loginId: string): string =>
  mark(ctx.keys, 'erasure', `${ctx.tenantId}\0${loginId}`);

export const storedAnswers = 'StoredAnswers';

const answersErased =
  'Stored responses to requests that named the person. If such a request is repeated, it is rejected.';

/** What is stored outside the list and never belongs to a single person. */
const alwaysKept = {
  Data: 'Receipt',
  Records: 1,
  More: false,
  What: 'This receipt, which can be found by a keyed hash of the LoginID.',
  Why: 'It proves the erasure and is returned for a repeated request. It does not reveal the LoginID.',
};

/** `More`: counting stopped. */
export type Count = { Records: number; More: boolean };

export function receiptOf(countOf: (name: string) => Count): Pick<Erasure, 'Erased' | 'Kept'> {
  return {
    Erased: [
      ...heldData.flatMap(({ name, erased }) =>
        erased === null ? [] : [{ Data: name, ...countOf(name), What: erased }],
      ),
      { Data: storedAnswers, ...countOf(storedAnswers), What: answersErased },
    ],
    Kept: [
      ...heldData.flatMap(({ name, kept }) =>
        kept === null ? [] : [{ Data: name, ...countOf(name), What: kept.what, Why: kept.why }],
      ),
      alwaysKept,
    ],
  };
}

/** Receipts of earlier versions do not say `More`. */
export function completed(receipt: Omit<Erasure, 'LoginID'>): Omit<Erasure, 'LoginID'> {
  const counted = { More: false };
  return {
    ...receipt,
    Erased: receipt.Erased.map((part) => ({ ...counted, ...part })),
    Kept: receipt.Kept.map((part) => ({ ...counted, ...part })),
  };
}
