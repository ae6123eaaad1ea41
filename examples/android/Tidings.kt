package tidings

import android.content.Context
import java.util.Locale
import java.util.UUID
import java.util.concurrent.Executors

/** The device of this installation, and the reports that are still to be sent. */
class Tidings private constructor(context: Context) {
    private val stored = context.getSharedPreferences(PREFERENCES, Context.MODE_PRIVATE)
    private val background = Executors.newSingleThreadExecutor()
    private val appVersion = context.packageManager.getPackageInfo(context.packageName, 0).versionName
    val client = TidingsClient(BASE_URL, DEVICE_TOKEN, APPLICATION, hwid())

    /** Runs a call in the background; one that fails leaves the app as it is. */
    fun call(what: TidingsClient.() -> Unit) = background.execute { attempt { client.what() } }

    /** At each launch with the token of Firebase, and from `onNewToken`. */
    fun register(pushToken: String) = call { register(pushToken, language(), appVersion = appVersion) }

    fun appOpened() {
        call { reportAppOpened(language(), appVersion) }
        background.execute { sendReports() }
    }

    /** Blocks. A report that fails is stored, and sent at a later launch or push. */
    fun reportDelivered(hash: String) = report(DELIVERED, hash)

    fun reportOpened(hash: String) = background.execute { report(OPENED, hash) }

    private fun report(kind: String, hash: String) {
        storeReports { it + "$kind $hash" }
        sendReports()
    }

    private fun sendReports() {
        for (report in stored.getStringSet(REPORTS, emptySet())!!.toList()) {
            val (kind, hash) = report.split(' ', limit = 2)
            val isSettled = attempt { if (kind == OPENED) client.reportOpened(hash) else client.reportDelivered(hash) }
            if (!isSettled) return
            storeReports { it - report }
        }
    }

    @Synchronized
    private fun storeReports(change: (Set<String>) -> Set<String>) {
        val reports = change(stored.getStringSet(REPORTS, emptySet())!!)
        stored.edit().putStringSet(REPORTS, reports.toList().takeLast(MOST_REPORTS).toSet()).commit()
    }

    /** False if a repeat may succeed. A refused call would be refused again. */
    private fun attempt(call: () -> Unit): Boolean = try {
        call()
        true
    } catch (refusal: TidingsRefusal) {
        android.util.Log.w("Tidings", refusal)
        true
    } catch (unavailable: TidingsUnavailable) {
        false
    }

    private fun hwid(): String = stored.getString(HWID, null)
        ?: UUID.randomUUID().toString().also { stored.edit().putString(HWID, it).commit() }

    private fun language(): String = Locale.getDefault().language

    companion object {
        /** Exclude the file `tidings.xml` from backups: a copy on another phone would be the same device. */
        private const val PREFERENCES = "tidings"
        private const val BASE_URL = "https://push.example.com"
        private const val DEVICE_TOKEN = "a device token"
        private const val APPLICATION = "A1B2C-3D4E5"
        private const val HWID = "hwid"
        private const val REPORTS = "reports"
        private const val DELIVERED = "delivered"
        private const val OPENED = "opened"
        private const val MOST_REPORTS = 100

        @Volatile
        private var instance: Tidings? = null

        fun of(context: Context): Tidings = instance ?: synchronized(this) {
            instance ?: Tidings(context.applicationContext).also { instance = it }
        }
    }
}
