import { randomBytes } from 'node:crypto';
import { invalid } from '../../../lib/errors.ts';
import { alphabet } from '../../enrolment-keys/key-text.ts';

const counter = /\{Counter(?::([1-9]))?\}/g;
const placeholders = /\{(?:Counter(?::[1-9])?|Random|Year|Month|Course)\}/g;

/** Whether serials of this format are counted. */
export const isCounted = (format: string | null | undefined) => format != null && /\{Counter/.test(format);

export function checkSerial(format: string | null): void {
  if (format === null) return;
  const reject = (detail: string) => {
    throw invalid('Serial', detail);
  };
  if (/[{}]/.test(format.replaceAll(placeholders, '')))
    reject(
      'Serial contains an unknown placeholder. Use {Counter}, {Counter:5}, {Random}, {Year}, {Month} or {Course}.',
    );
  if (!isCounted(format) && !format.includes('{Random}'))
    reject('All certificates would have the same serial. Add {Counter} or {Random} to it.');
}

/** The serial of a certificate that is issued on this day as the nth with a counted one. */
export function serialOf(
  format: string | null,
  { courseId, day, count }: { courseId: string; day: string; count: number },
): string | null {
  if (format === null) return null;
  const [year = '', month = ''] = day.split('-');
  return format
    .replaceAll(counter, (_, digits = '1') => String(count).padStart(Number(digits), '0'))
    .replaceAll('{Random}', () => [...randomBytes(8)].map((byte) => alphabet[byte & 31]).join(''))
    .replaceAll('{Year}', year)
    .replaceAll('{Month}', month)
    .replaceAll('{Course}', () => courseId);
}
