export { type AudienceJobsDeps, type AudienceJobsService, openAudienceJobs } from './audience-jobs.ts';
