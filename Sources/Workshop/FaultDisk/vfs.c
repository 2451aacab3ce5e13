#include "disk.h"
#include <stdlib.h>
#include <string.h>

/* A file of a disk: SQLite's own file of the usual system lies behind it. */
struct open_file {
    sqlite3_file base;
    fault_disk *disk;
    int file;
    _Atomic int is_closed; /* by us, behind SQLite's back; read without the lock */
    open_file *next;
};

static sqlite3_vfs *usual;
static sqlite3_vfs faulty;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((open_file *)file + 1); }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return real(file)->pMethods; }

/* Whether the file can be used at all. */
static int is_on(open_file *file) { return !file->is_closed && !file->disk->is_off; }

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    open_file *own = (open_file *)file;
    if (!is_on(own)) return SQLITE_IOERR_WRITE;
    fault_enter();
    int fault = log_fails(own->disk, FAULT_WRITE_ERROR);
    if (fault == FAULT_SHORT_WRITE) count /= 2;
    int goes_on = fault == FAULT_WRITE_ERROR || fault == FAULT_FULL
        || log_begin(own->disk, FAULT_WRITE, own->file, (uint64_t)offset, bytes, (size_t)count);
    fault_leave();
    if (!goes_on || fault == FAULT_WRITE_ERROR) return SQLITE_IOERR_WRITE;
    if (fault == FAULT_FULL) return SQLITE_FULL;
    int code = methods(file)->xWrite(real(file), bytes, count, offset);
    return code == SQLITE_OK && fault == FAULT_SHORT_WRITE ? SQLITE_FULL : code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    open_file *own = (open_file *)file;
    if (!is_on(own)) return SQLITE_IOERR_TRUNCATE;
    fault_enter();
    int goes_on =
        (own->disk->kind != FAULT_WRITE_ERROR || log_fails(own->disk, FAULT_WRITE_ERROR) == FAULT_NONE)
        && log_begin(own->disk, FAULT_TRUNCATE, own->file, (uint64_t)size, NULL, 0);
    fault_leave();
    return goes_on ? methods(file)->xTruncate(real(file), size) : SQLITE_IOERR_TRUNCATE;
}

static int file_sync(sqlite3_file *file, int flags) {
    open_file *own = (open_file *)file;
    (void)flags;
    if (!is_on(own)) return SQLITE_IOERR_FSYNC;
    fault_enter();
    int has_failed = log_fails(own->disk, FAULT_SYNC_ERROR) != FAULT_NONE;
    int goes_on =
        log_begin(own->disk, has_failed ? FAULT_LOST_SYNC : FAULT_SYNC, own->file, 0, NULL, 0);
    fault_leave();
    /* The real file lives for as long as the test: nothing is really flushed. */
    return goes_on && !has_failed ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    open_file *own = (open_file *)file;
    if (!is_on(own)) return SQLITE_IOERR_READ;
    fault_enter();
    int fault = log_fails(own->disk, FAULT_READ_ERROR);
    fault_leave();
    if (fault != FAULT_NONE) return SQLITE_IOERR_READ;
    return methods(file)->xRead(real(file), bytes, count, offset);
}

static int file_close(sqlite3_file *file) {
    open_file *own = (open_file *)file;
    fault_enter();
    int is_closed = own->is_closed;
    for (open_file **link = &own->disk->open; !is_closed && *link; link = &(*link)->next) {
        if (*link != own) continue;
        *link = own->next;
        break;
    }
    fault_leave();
    return is_closed ? SQLITE_OK : methods(file)->xClose(real(file));
}

void close_all(fault_disk *disk) {
    for (;;) {
        fault_enter();
        open_file *file = disk->open;
        if (file) {
            disk->open = file->next;
            file->is_closed = 1;
        }
        fault_leave();
        if (!file) return;
        if (methods(&file->base)->xShmUnmap) methods(&file->base)->xShmUnmap(real(&file->base), 0);
        methods(&file->base)->xClose(real(&file->base));
    }
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return is_on((open_file *)file) ? methods(file)->xFileSize(real(file), size)
                                    : SQLITE_IOERR_FSTAT;
}

static int file_lock(sqlite3_file *file, int level) {
    return is_on((open_file *)file) ? methods(file)->xLock(real(file), level) : SQLITE_IOERR_LOCK;
}

static int file_unlock(sqlite3_file *file, int level) {
    return is_on((open_file *)file) ? methods(file)->xUnlock(real(file), level) : SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *file, int *result) {
    *result = 0;
    return is_on((open_file *)file) ? methods(file)->xCheckReservedLock(real(file), result)
                                    : SQLITE_IOERR_CHECKRESERVEDLOCK;
}

static int file_control(sqlite3_file *file, int verb, void *argument) {
    /* The size hint would write behind our back. */
    if (verb == SQLITE_FCNTL_SIZE_HINT) return SQLITE_OK;
    return is_on((open_file *)file) ? methods(file)->xFileControl(real(file), verb, argument)
                                    : SQLITE_IOERR;
}

static int file_sector(sqlite3_file *file) {
    (void)file;
    return FAULT_SECTOR;
}

static int file_character(sqlite3_file *file) {
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    *memory = NULL;
    return is_on((open_file *)file)
        ? methods(file)->xShmMap(real(file), page, size, extend, memory) : SQLITE_IOERR_SHMMAP;
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    if (is_on((open_file *)file)) return methods(file)->xShmLock(real(file), offset, count, flags);
    return flags & SQLITE_SHM_UNLOCK ? SQLITE_OK : SQLITE_IOERR_SHMLOCK;
}

static void shm_barrier(sqlite3_file *file) {
    if (is_on((open_file *)file)) methods(file)->xShmBarrier(real(file));
}

static int shm_unmap(sqlite3_file *file, int deletes) {
    open_file *own = (open_file *)file;
    fault_enter();
    int is_closed = own->is_closed, is_off = own->disk->is_off;
    fault_leave();
    return is_closed ? SQLITE_OK : methods(file)->xShmUnmap(real(file), is_off ? 0 : deletes);
}

/* The second version: no mapped memory. */
static const sqlite3_io_methods faulty_methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock,
    file_unlock, file_is_reserved, file_control, file_sector, file_character, shm_map, shm_lock,
    shm_barrier, shm_unmap, NULL, NULL,
};

fault_disk *find_database(const char *name, int *file) {
    if (!name) return NULL;
    for (fault_disk *disk = fault_disks; disk; disk = disk->next)
        for (*file = 0; *file < disk->held_count; ++*file)
            if (!disk->is_watched[*file] && strcmp(disk->names[*file], name) == 0) return disk;
    return NULL;
}

static int vfs_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    int index = 0;
    fault_enter();
    fault_disk *disk = find_database(name, &index);
    int is_off = disk && disk->is_off;
    fault_leave();
    if (!disk) return usual->xOpen(usual, name, file, flags, out);

    open_file *own = (open_file *)file;
    memset(own, 0, sizeof *own);
    if (is_off) return SQLITE_CANTOPEN;
    if (flags & SQLITE_OPEN_CREATE) {
        fault_enter();
        int goes_on = disk->exists[index] || log_begin(disk, FAULT_CREATE, index, 0, NULL, 0);
        fault_leave();
        if (!goes_on) return SQLITE_CANTOPEN;
    }
    int code = usual->xOpen(usual, name, real(file), flags, out);
    if (code != SQLITE_OK) return code;
    own->base.pMethods = &faulty_methods;
    own->disk = disk;
    own->file = index;
    fault_enter();
    own->next = disk->open;
    disk->open = own;
    fault_leave();
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    int index = 0;
    fault_enter();
    fault_disk *disk = find_database(name, &index);
    int goes_on = !disk
        || (!disk->is_off
            && (!disk->exists[index]
                || log_begin(disk, FAULT_DELETE, index, (uint64_t)syncs, NULL, 0)));
    fault_leave();
    return goes_on ? usual->xDelete(usual, name, disk ? 0 : syncs) : SQLITE_IOERR_DELETE;
}

int fault_disk_install(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&once);
    int code = SQLITE_OK;
    if (!usual) {
        usual = sqlite3_vfs_find(NULL);
        if (usual) {
            faulty = *usual;
            faulty.zName = "faulty";
            faulty.pNext = NULL;
            faulty.szOsFile += (int)sizeof(open_file);
            faulty.xOpen = vfs_open;
            faulty.xDelete = vfs_delete;
            code = sqlite3_vfs_register(&faulty, 1);
        } else {
            code = SQLITE_ERROR;
        }
    }
    pthread_mutex_unlock(&once);
    return code;
}
