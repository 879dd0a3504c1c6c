import { fitsShape, type JsonShape } from '../../../../../standards/json-shape.ts';
import { Problem } from '../../errors.ts';

/** Checks the text of a body before it is parsed. */
export function checkShape(text: string, shape: JsonShape): void {
  if (fitsShape(text, shape)) return;
  throw new Problem(
    'validation_failed',
    `The body has more than ${shape.values} values, or values nested more than ${shape.depth} levels deep. Split it into several requests.`,
  );
}
