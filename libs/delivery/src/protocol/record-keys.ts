export interface ChunkKey {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
}

export const chunkKeyOf = ({ message, bucket, application, chunk }: ChunkKey): ChunkKey => ({
  message,
  bucket,
  application,
  chunk,
});

export const fanoutId = (key: Omit<ChunkKey, 'chunk'>): string => `${key.message}/${key.bucket}/${key.application}`;

export const planId = (key: ChunkKey): string => `${fanoutId(key)}/${key.chunk}`;

export const idsBelow = (prefix: string): { readonly $gt: string; readonly $lt: string } => ({
  $gt: `${prefix}/`,
  $lt: `${prefix}0`,
});

export const messageApplicationKey = ({ message, application }: Pick<ChunkKey, 'message' | 'application'>): string =>
  `${message}/${application}`;

export const messageChunkKey = (key: Omit<ChunkKey, 'bucket'>): string => `${messageApplicationKey(key)}/${key.chunk}`;

export const chunkRecordKey = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `${application}/${chunk}`;
