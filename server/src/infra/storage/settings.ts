export type StorageSettings = {
  /** Origin of the store. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly cacheBytes: number;
};
