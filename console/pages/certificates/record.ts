import type { components } from '../../../client/src/generated.ts';

export type Certificate = components['schemas']['Certificate'];
