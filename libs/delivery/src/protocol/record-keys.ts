/** One chunk's share of a message. The bucket is 0, except for messages by time zone or with joined recipients. */
export interface ChunkKey {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
}

/** The chunk key of an object that contains one. */
export const chunkKeyOf = ({ message, bucket, application, chunk }: ChunkKey): ChunkKey => ({
  message,
  bucket,
  application,
  chunk,
});

/** `_id` of the fan-out of a message in an application; ids of a message's documents begin with its code and "/". */
export const fanoutId = (key: Omit<ChunkKey, 'chunk'>): string => `${key.message}/${key.bucket}/${key.application}`;

/** `_id` of a plan. */
export const planId = (key: ChunkKey): string => `${fanoutId(key)}/${key.chunk}`;

/** All ids that begin with `<prefix>/`: a {@link fanoutId} begins with the code of its message. */
export const idsBelow = (prefix: string): { readonly $gt: string; readonly $lt: string } => ({
  $gt: `${prefix}/`,
  $lt: `${prefix}0`,
});

/** Key of the records on `tidings.plans` that concern an application's whole share of a message; {@link messageChunkKey} begins with it. */
export const messageApplicationKey = ({ message, application }: Pick<ChunkKey, 'message' | 'application'>): string =>
  `${message}/${application}`;

/** Key of the records on `tidings.plans`, `tidings.outcomes` and `tidings.reports`, by message and chunk. */
export const messageChunkKey = (key: Omit<ChunkKey, 'bucket'>): string => `${messageApplicationKey(key)}/${key.chunk}`;

/** Key of tasks, batches and conversions, by chunk, independent of the message. */
export const chunkRecordKey = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `${application}/${chunk}`;
