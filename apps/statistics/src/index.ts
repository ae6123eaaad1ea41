export { openStatistics, type StatisticsService } from './statistics.ts';
