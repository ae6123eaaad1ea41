import { addSubscriptionSecret } from './addSubscriptionSecret.ts';
import { advanceClock } from './advanceClock.ts';
import { blacklistAddress, clearAddress, getBlacklisted } from './blacklist.ts';
import { changeSubscription } from './changeSubscription.ts';
import { clearComplaint, getComplaint, recordComplaint } from './complaints.ts';
import { countDevices } from './countDevices.ts';
import { createAccount } from './createAccount.ts';
import { createGroup } from './createGroup.ts';
import { createSubscription } from './createSubscription.ts';
import { createToken } from './createToken.ts';
import { findDevices } from './findDevices.ts';
import { getApplicationSettings } from './getApplicationSettings.ts';
import { getDeadLetter, listDeadLetters, redriveDeadLetters } from './deadLetters.ts';
import { deleteInboxMessage } from './deleteInboxMessage.ts';
import { deleteSubscription } from './deleteSubscription.ts';
import { deleteToken } from './deleteToken.ts';
import { getSubscription } from './getSubscription.ts';
import { getToken } from './getToken.ts';
import { listAccounts } from './listAccounts.ts';
import { listGroups } from './listGroups.ts';
import { listJobs } from './listJobs.ts';
import { listSuppressions } from './listSuppressions.ts';
import { listSubscriptions } from './listSubscriptions.ts';
import { listTokens } from './listTokens.ts';
import { explain } from './explain.ts';
import { getPresetApproval, setPresetApproval } from './presetApproval.ts';
import { listDeletions } from './listDeletions.ts';
import { liftThrottle, listProviders } from './providers.ts';
import { cancelReplay, lastReplay, startReplay } from './replay.ts';
import { setAtMostOnce } from './setAtMostOnce.ts';
import { setCapping } from './setCapping.ts';
import { setCategories } from './setCategories.ts';
import { setControlGroup } from './setControlGroup.ts';
import { setDebug } from './setDebug.ts';
import { setPlan } from './setPlan.ts';
import { setRateLimit } from './setRateLimit.ts';
import { setSenders } from './setSenders.ts';
import { setTracking } from './setTracking.ts';
import { settled } from './settled.ts';
import { stopMessage } from './stopMessage.ts';
import { confirmTestDevice, deleteTestDevice, listAllTestDevices } from './testDevices.ts';
import { listOpenAccess, setInboxAccess, setTestDeviceAccess } from './tokenRequirements.ts';

export const adminMethods = {
  createToken,
  listTokens,
  getToken,
  deleteToken,
  listProviders,
  liftThrottle,
  createAccount,
  listAccounts,
  setDebug,
  createGroup,
  listGroups,
  listJobs,
  setControlGroup,
  setAtMostOnce,
  setCapping,
  setTracking,
  getApplicationSettings,
  listOpenAccess,
  setInboxAccess,
  setTestDeviceAccess,
  listAllTestDevices,
  confirmTestDevice,
  deleteTestDevice,
  deleteInboxMessage,
  setPresetApproval,
  getPresetApproval,
  getComplaint,
  recordComplaint,
  clearComplaint,
  getBlacklisted,
  blacklistAddress,
  clearAddress,
  listSuppressions,
  setCategories,
  setPlan,
  setSenders,
  setRateLimit,
  createSubscription,
  listSubscriptions,
  getSubscription,
  changeSubscription,
  deleteSubscription,
  addSubscriptionSecret,
  advanceClock,
  explain,
  stopMessage,
  findDevices,
  countDevices,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetters,
  startReplay,
  cancelReplay,
  lastReplay,
  settled,
  listDeletions,
} as const;
