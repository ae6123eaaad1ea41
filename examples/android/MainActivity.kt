package tidings

import android.Manifest
import android.app.Activity
import android.app.NotificationManager
import android.content.Intent
import android.net.Uri
import android.os.Build
import android.os.Bundle
import com.google.firebase.messaging.FirebaseMessaging

class MainActivity : Activity() {
    private val tidings by lazy { Tidings.of(this) }

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            requestPermissions(arrayOf(Manifest.permission.POST_NOTIFICATIONS), 0)
        }
        // A recreated activity has the intent of its first start.
        if (state == null) opened(intent)
    }

    override fun onStart() {
        super.onStart()
        tidings.appOpened()
    }

    /** Runs after the dialog of the permission, too. */
    override fun onResume() {
        super.onResume()
        if (getSystemService(NotificationManager::class.java).areNotificationsEnabled()) {
            FirebaseMessaging.getInstance().token.addOnSuccessListener { tidings.register(it) }
        } else {
            tidings.call { unregister() }
        }
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        opened(intent)
    }

    private fun opened(intent: Intent) {
        intent.getStringExtra(TidingsMessagingService.HASH)?.let { tidings.reportOpened(it) }
        intent.getStringExtra(TidingsMessagingService.LINK)?.let { startActivity(Intent(Intent.ACTION_VIEW, Uri.parse(it))) }
    }
}
