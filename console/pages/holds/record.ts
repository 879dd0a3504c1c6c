import type { components } from '../../../client/src/generated.ts';

export type Hold = components['schemas']['LegalHold'];
