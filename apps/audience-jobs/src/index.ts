export { openAudienceJobs } from './audience-jobs.ts';
