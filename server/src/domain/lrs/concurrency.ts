import { invalid } from '../../../../standards/xapi/invalid.ts';
import { Problem } from '../../lib/errors.ts';

/** Communication 3.1: the client's conditions for the stored document. */
export type Preconditions = {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  /** When a write needs one of these headers. */
  areRequired: 'always' | 'to_replace' | 'never';
};

/** Formats a tag for the ETag header. */
export const quoted = (etag: string) => `"${etag}"`;

/** xAPI 1.0 clients send tags without quotes. Weak tags are compared like strong ones. */
function tagsIn(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
}

/** RFC 9110 §13.1. */
export function checkPreconditions(
  before: { etag: string } | null,
  { ifMatch, ifNoneMatch, areRequired }: Preconditions,
): void {
  const matches = (header: string) =>
    before !== null && (header.trim() === '*' || tagsIn(header).includes(before.etag));
  if (ifMatch !== undefined && !matches(ifMatch))
    throw new Problem(
      'precondition_failed',
      'The document does not match If-Match. Read the document again.',
    );
  if (ifNoneMatch !== undefined && matches(ifNoneMatch))
    throw new Problem(
      'precondition_failed',
      'The document already exists, contrary to If-None-Match. Read the document first.',
    );
  if (areRequired === 'never' || ifMatch !== undefined || ifNoneMatch !== undefined) return;
  if (before === null && areRequired === 'always')
    invalid('If-None-Match', 'is missing. Send If-None-Match: * to create the document.');
  if (before !== null)
    throw new Problem(
      'document_conflict',
      'The document already exists. Read it, and send its ETag in If-Match to replace it.',
    );
}
