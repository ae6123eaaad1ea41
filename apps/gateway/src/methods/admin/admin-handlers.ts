export { createAccount, createGroup, setCategories, setPlan, setSenders } from './accounts.ts';
export {
  blacklistAddress,
  clearAddress,
  clearComplaint,
  getBlacklisted,
  getComplaint,
  recordComplaint,
} from './addresses.ts';
export { setAtMostOnce, setCapping, setControlGroup, setDebug, setTracking } from './application-settings.ts';
export { getDeadLetter, listDeadLetters, redriveDeadLetters } from './dead-letters.ts';
export { deleteInboxMessage } from './deleteInboxMessage.ts';
export { countDevices } from './countDevices.ts';
export { findDevices } from './findDevices.ts';
export { getApplicationSettings } from './getApplicationSettings.ts';
export { explain } from './explain.ts';
export { listAccounts, listGroups, listJobs, listSuppressions } from './lists.ts';
export { getPresetApproval, setPresetApproval } from './preset-approval.ts';
export { liftThrottle, listProviders } from './providers.ts';
export { cancelReplay, lastReplay, startReplay } from './replay.ts';
export { stopMessage } from './stopMessage.ts';
export {
  addSubscriptionSecret,
  changeSubscription,
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
} from './subscriptions.ts';
export { advanceClock, listDeletions, settled } from './system.ts';
export { confirmTestDevice, deleteTestDevice, listAllTestDevices } from './test-devices.ts';
export { listOpenAccess, setInboxAccess, setTestDeviceAccess } from './token-requirements.ts';
export { createToken, deleteToken, getToken, listTokens, setRateLimit } from './tokens.ts';
