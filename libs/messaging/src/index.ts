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
