/** The part of the engine that weighs the measures of a group's members. */
export type WeighingSequencer = {
  rollupProcess: {
    measureProcessor: { calculateAdjustedWeight(activity: unknown, weight: number): number };
  };
};

/**
 * The engine counts members for less that are incomplete or were tried again: 100 % and an unfinished 0 % make 56 %.
 * The standard's Measure Rollup Process (SN RB.1.1) knows the manifest's weights only: 50 %.
 */
export function weighAsTheStandard(engine: { getSequencingService(): WeighingSequencer }): void {
  engine.getSequencingService().rollupProcess.measureProcessor.calculateAdjustedWeight = (_, weight) =>
    weight;
}
