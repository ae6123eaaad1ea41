import type { api, OutputOf } from '@tidings/contract';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import { JobFailure, JobKind } from '@tidings/events';
import { type JobEntryView, JobStatus, SuppressionReason } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Job = OutputOf<typeof api.listJobs>['jobs'][number];

const DEFAULT_LIMIT = 100;

const kinds = {
  bulkSetTags: JobKind.JOB_KIND_SET_TAGS,
  bulkRegisterDevice: JobKind.JOB_KIND_REGISTER,
  bulkUnregisterDevice: JobKind.JOB_KIND_UNREGISTER,
  exportSegment: JobKind.JOB_KIND_EXPORT,
} as const;

const methods = new Map(Object.entries(kinds).map(([method, kind]) => [kind as JobKind, method as keyof typeof kinds]));

const statuses = {
  [JobStatus.JOB_STATUS_UNSPECIFIED]: 'Pending',
  [JobStatus.JOB_STATUS_PENDING]: 'Pending',
  [JobStatus.JOB_STATUS_COMPLETED]: 'Completed',
  [JobStatus.JOB_STATUS_FAILED]: 'Failed',
} as const;

const reasons = {
  blacklist: SuppressionReason.SUPPRESSION_REASON_BLACKLISTED,
  complaint: SuppressionReason.SUPPRESSION_REASON_COMPLAINED,
} as const;

export const listAccounts: Handler<typeof api.listAccounts, 'accounts'> = async (
  { after = '', limit = DEFAULT_LIMIT },
  { accounts },
) => {
  const page = await accounts.listAccounts({ after, limit });
  return {
    accounts: page.accounts.map(({ account, name, createdAt, emailOnly }) => ({
      account,
      name,
      created_at: rfc3339(createdAt),
      email_only: emailOnly,
    })),
    next: page.next || null,
  };
};

export const listGroups: Handler<typeof api.listGroups, 'accounts'> = async (
  { account = '', after = '', limit = DEFAULT_LIMIT },
  { accounts },
) => {
  const page = await accounts.listGroups({ account, after, limit });
  return {
    groups: page.groups.map(({ code, name, applications, createdAt }) => ({
      code,
      name,
      applications,
      created_at: rfc3339(createdAt),
    })),
    next: page.next || null,
  };
};

function shownJob({ job, kind, application, entries, acceptedAt, finishedAt, failure, view }: JobEntryView): Job[] {
  const method = methods.get(kind);
  if (!method || !view) return [];
  return [
    {
      id: job,
      kind: method,
      application: application || null,
      status: statuses[view.status],
      progress: view.progress,
      accepted_at: rfc3339(acceptedAt),
      finished_at: rfc3339(finishedAt),
      entries,
      devices_success: view.done,
      devices_not_found: view.notFound,
      devices_failed: view.failed,
      failure: failure === undefined ? null : (JobFailure[failure] ?? null),
    },
  ];
}

export const listJobs: Handler<typeof api.listJobs, 'jobs'> = async (
  { account = DEFAULT_ACCOUNT, kind, application = '', after = '', limit = DEFAULT_LIMIT },
  { jobs },
) => {
  const page = await jobs.list({
    account,
    kind: kind === undefined ? JobKind.JOB_KIND_UNSPECIFIED : kinds[kind],
    application,
    after,
    limit,
  });
  return { jobs: page.jobs.flatMap(shownJob), next: page.next || null };
};

export const listSuppressions: Handler<typeof api.listSuppressions, 'addresses'> = async (
  { account = '', reason, after = '', limit = DEFAULT_LIMIT },
  { addresses },
) => {
  const page = await addresses.listSuppressed({ account, reason: reasons[reason], after, limit });
  return {
    suppressions: page.addresses.map(({ hash, email, view }) => ({
      hash,
      address: email || null,
      blacklisted_at: rfc3339(view?.blacklistedSince),
      complained_at: rfc3339(view?.complainedSince),
    })),
    next: page.next || null,
  };
};
