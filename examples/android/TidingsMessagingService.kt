package tidings

import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.Intent
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage

/** Firebase calls it on a background thread, also while the app is in the background: pushes are data messages. */
class TidingsMessagingService : FirebaseMessagingService() {
    override fun onNewToken(token: String) = Tidings.of(this).register(token)

    override fun onMessageReceived(message: RemoteMessage) {
        val push = Push.from(message.data) ?: return
        if (!push.isSilent) show(push)
        // Blocks: Android may end the process once this function has returned.
        push.hash?.let { Tidings.of(this).reportDelivered(it) }
    }

    private fun show(push: Push) {
        val notifications = getSystemService(NotificationManager::class.java)
        notifications.createNotificationChannel(NotificationChannel(CHANNEL, "News", NotificationManager.IMPORTANCE_DEFAULT))
        val notification = Notification.Builder(this, CHANNEL)
            .setSmallIcon(applicationInfo.icon)
            .setContentTitle(push.title)
            .setContentText(push.text)
            .setContentIntent(tapOf(push))
            .setAutoCancel(true)
        push.badge?.let { notification.setNumber(it) }
        // A repeated push has the same tag, and replaces the notification.
        notifications.notify(push.tag, NOTIFICATION, notification.build())
    }

    private fun tapOf(push: Push): PendingIntent {
        val intent = packageManager.getLaunchIntentForPackage(packageName)!!
            .putExtra(HASH, push.hash)
            .putExtra(LINK, push.link)
            .putExtra(DATA, push.data)
            .putExtra(INBOX_CODE, push.inboxCode)
        val flags = PendingIntent.FLAG_UPDATE_CURRENT or PendingIntent.FLAG_IMMUTABLE
        return PendingIntent.getActivity(this, push.hash.hashCode(), intent, flags)
    }

    companion object {
        const val HASH = "tidings.hash"
        const val LINK = "tidings.link"
        const val DATA = "tidings.data"
        const val INBOX_CODE = "tidings.inboxCode"
        private const val CHANNEL = "news"
        private const val NOTIFICATION = 1
    }
}
