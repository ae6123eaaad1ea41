/** One chunk's share of a message. Bucket 0, but for messages that go out by time zone or are joined. */
export interface ChunkKey {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
}

/** The chunk key in whatever carries one. */
export const chunkKeyOf = ({ message, bucket, application, chunk }: ChunkKey): ChunkKey => ({
  message,
  bucket,
  application,
  chunk,
});

/** `_id` of the fan-out of a message in an application; what belongs to a message begins with its code and "/". */
export const fanoutId = (key: Omit<ChunkKey, 'chunk'>): string => `${key.message}/${key.bucket}/${key.application}`;

/** `_id` of a plan. */
export const planId = (key: ChunkKey): string => `${fanoutId(key)}/${key.chunk}`;

/** All ids of one message that begin as {@link fanoutId} does. */
export const idsOfMessage = (message: string): { readonly $gt: string; readonly $lt: string } => ({
  $gt: `${message}/`,
  $lt: `${message}0`,
});

/** Key of the records on `tidings.plans`, `tidings.outcomes` and `tidings.reports`: they concern one message in a chunk. */
export const messageChunkKey = ({ message, application, chunk }: Omit<ChunkKey, 'bucket'>): string =>
  `${message}/${application}/${chunk}`;

/** Key of tasks and batches: they concern a chunk, whatever the message. */
export const chunkRecordKey = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `${application}/${chunk}`;
