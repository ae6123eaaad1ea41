export {
  buildStatisticsHash,
  DEVICE_PART_MAX,
  type HashedDevice,
  type HashedMessage,
  hashPrefix,
  parseStatisticsHash,
  type StatisticsHash,
  writeDevicePart,
} from './statistics-hash.ts';
export {
  CODE_NOT_AVAILABLE,
  completeMessage,
  type Created,
  createMessage,
  type CreateMessage,
  evolveMessage,
  type Message,
  type Transaction,
  TRANSACTION_MS,
} from './message.ts';
