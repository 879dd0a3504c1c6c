import type { components } from '../../../client/src/generated.ts';

export type Event = components['schemas']['Event'];
