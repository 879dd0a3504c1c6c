import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locations } from '../../lib/locations.ts';

let drawable: RegExp | undefined;

/** Whether the fonts of certificates have all characters of the name. The build writes which ones they have. */
export function isDrawable(name: string): boolean {
  drawable ??= new RegExp(
    `^[\\p{Cf}${readFileSync(join(locations.certificates, 'drawable.txt'), 'utf8')}]*$`,
    'u',
  );
  return drawable.test(name);
}
