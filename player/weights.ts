/** The part of the engine that weights the measures of a group's members. */
export type WeightedSequencer = {
  rollupProcess: {
    measureProcessor: { calculateAdjustedWeight(activity: unknown, weight: number): number };
  };
};

/**
 * The engine gives less weight to members that are incomplete or were retried: 100 % and an unfinished 0 % make 56 %.
 * The standard's Measure Rollup Process (SN RB.1.1) uses only the manifest's weights: 50 %.
 */
export function applyStandardWeights(engine: { getSequencingService(): WeightedSequencer }): void {
  engine.getSequencingService().rollupProcess.measureProcessor.calculateAdjustedWeight = (_, weight) =>
    weight;
}
