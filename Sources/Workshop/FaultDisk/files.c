#define _GNU_SOURCE
#include "disk.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files beside the databases: whoever calls the system's functions for them in this process comes
   through here. A file that has a name keeps its bytes when the name changes; a name lasts from the
   next flush of its folder on, and not sooner. */

int files_add(fault_disk *disk) {
    if (disk->file_count == FILES_MAX) abort();
    int file = disk->file_count++;
    disk->names[file] = NULL;
    disk->is_watched[file] = 0;
    content_truncate(&disk->base[file], 0);
    disk->base[file].exists = disk->exists[file] = 1;
    return file;
}

/* The number of a path, whose parents have smaller ones. */
int files_path(fault_disk *disk, const char *path) {
    for (int known = 0; known < disk->path_count; known++)
        if (strcmp(disk->paths[known], path) == 0) return known;
    int parent = NOTHING;
    const char *slash = strrchr(path, '/');
    for (int tree = 0; slash && tree < disk->tree_count; tree++)
        if (strncmp(path, disk->trees[tree], strlen(disk->trees[tree])) == 0) {
            char *above = strndup(path, (size_t)(slash - path));
            if (!above) abort();
            parent = files_path(disk, above);
            free(above);
            break;
        }
    if (disk->path_count == PATHS_MAX) abort();
    int added = disk->path_count++;
    disk->paths[added] = strdup(path);
    if (!disk->paths[added]) abort();
    disk->parents[added] = parent;
    /* The folder that a tree stands in was there before. */
    disk->base_linked[added] = disk->linked[added] = parent == NOTHING ? FOLDER : NOTHING;
    return added;
}

static void load(fault_disk *disk, const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return;
    int name = files_path(disk, path);
    if (!S_ISDIR(status.st_mode)) {
        int file = files_add(disk);
        content_load(&disk->base[file], path);
        disk->base_linked[name] = disk->linked[name] = file;
        return;
    }
    disk->base_linked[name] = disk->linked[name] = FOLDER;
    DIR *listing = opendir(path);
    if (!listing) return;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        load(disk, inner);
    }
    closedir(listing);
}

void files_load(fault_disk *disk) {
    disk->file_count = disk->held_count;
    for (int path = 0; path < disk->path_count; path++)
        if (disk->parents[path] != NOTHING)
            disk->base_linked[path] = disk->linked[path] = NOTHING;
    for (int tree = 0; tree < disk->tree_count; tree++) {
        char above[4096];
        snprintf(above, sizeof above, "%s", disk->trees[tree]);
        *strrchr(above, '/') = 0;
        DIR *listing = opendir(above);
        if (!listing) continue;
        const char *start = disk->trees[tree] + strlen(above) + 1;
        for (struct dirent *entry; (entry = readdir(listing));) {
            if (strncmp(entry->d_name, start, strlen(start)) != 0) continue;
            char inner[4096 + 256];
            snprintf(inner, sizeof inner, "%s/%s", above, entry->d_name);
            load(disk, inner);
        }
        closedir(listing);
    }
}

#if defined(__linux__)

/* What a descriptor stands for. */
#define DESCRIPTORS_MAX 65536
static struct descriptor {
    fault_disk *disk;
    int file; /* or FOLDER, of `name` */
    int name;
} descriptors[DESCRIPTORS_MAX];

void files_forget(fault_disk *disk) {
    if (disk->descriptor_count == 0) return;
    disk->descriptor_count = 0;
    for (int descriptor = 0; descriptor < DESCRIPTORS_MAX; descriptor++)
        if (descriptors[descriptor].disk == disk) descriptors[descriptor].disk = NULL;
}

/* Under the lock: the disk on which a path lies, if below one of its trees, or as the folder above
   one of them. */
static fault_disk *find(const char *path, int allows_above) {
    for (fault_disk *disk = fault_disks; disk; disk = disk->next)
        for (int tree = 0; tree < disk->tree_count; tree++) {
            const char *root = disk->trees[tree];
            if (strncmp(path, root, strlen(root)) == 0) return disk;
            size_t above = (size_t)(strrchr(root, '/') - root);
            if (allows_above && strlen(path) == above && strncmp(path, root, above) == 0)
                return disk;
        }
    return NULL;
}

static struct descriptor *known(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX) return NULL;
    return descriptors[descriptor].disk ? &descriptors[descriptor] : NULL;
}

/* Whether there is any disk: asked at every call of this process. */
static int is_used(void) { return __atomic_load_n(&fault_disks, __ATOMIC_RELAXED) != NULL; }

/* The system's own function of a name. */
#define SYSTEM(name) \
    static __typeof__(&name) found_before; \
    __typeof__(&name) system_function = __atomic_load_n(&found_before, __ATOMIC_RELAXED); \
    if (!system_function) { \
        system_function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        __atomic_store_n(&found_before, system_function, __ATOMIC_RELAXED); \
    }

static int failed(int error) {
    errno = error;
    return -1;
}

/* After a name outside of all trees was given, moved or removed: somebody may be watching it. */
static int named(int result) {
    fault_names++;
    return result;
}

/* Under the lock: whether names can't be changed now, and with which error. */
static int refuses_names(fault_disk *disk) {
    if (disk->is_off) return EIO;
    switch (log_fails(disk, FAULT_WRITE_ERROR)) {
    case FAULT_NONE: return 0;
    case FAULT_WRITE_ERROR: return EIO;
    default: return ENOSPC;
    }
}

/* Under the lock, after the system has opened a path below a tree. */
static int opened(fault_disk *disk, const char *path, int flags, int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX) return descriptor;
    int name = files_path(disk, path);
    int goes_on = 1;
    if (disk->linked[name] == NOTHING) {
        int file = files_add(disk);
        goes_on = log_begin_name(disk, FAULT_CREATE, file, name, NOTHING);
        disk->linked[name] = file;
    } else if (flags & O_TRUNC && disk->linked[name] >= 0) {
        goes_on = log_begin(disk, FAULT_TRUNCATE, disk->linked[name], 0, NULL, 0);
    }
    if (!goes_on) {
        int (*closing)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
        closing(descriptor);
        return failed(EIO);
    }
    descriptors[descriptor] = (struct descriptor){disk, disk->linked[name], name};
    disk->descriptor_count++;
    return descriptor;
}

static int open_one(int (*system_function)(const char *, int, ...), const char *path, int flags,
    mode_t mode) {
    fault_enter();
    fault_disk *disk = find(path, 1);
    if (!disk) {
        fault_leave();
        int result = system_function(path, flags, mode);
        return flags & O_CREAT ? named(result) : result;
    }
    int name = files_path(disk, path);
    int changes = disk->linked[name] == NOTHING ? flags & O_CREAT : flags & O_TRUNC;
    int error = disk->is_off ? EIO : changes ? refuses_names(disk) : 0;
    int result = error ? failed(error)
                       : opened(disk, path, flags, system_function(path, flags, mode));
    int number = errno;
    fault_leave();
    errno = number;
    return result;
}

int open(const char *path, int flags, ...) {
    SYSTEM(open);
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_used() ? open_one(system_function, path, flags, mode)
                               : system_function(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    SYSTEM(open64);
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_used() ? open_one(system_function, path, flags, mode)
                               : system_function(path, flags, mode);
}

int close(int descriptor) {
    SYSTEM(close);
    if (is_used()) {
        fault_enter();
        struct descriptor *found = known(descriptor);
        if (found) {
            found->disk->descriptor_count--;
            found->disk = NULL;
        }
        fault_leave();
    }
    return system_function(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    SYSTEM(write);
    if (!is_used()) return system_function(descriptor, bytes, count);
    fault_enter();
    struct descriptor *found = known(descriptor);
    ssize_t result = -1;
    int error = 0;
    if (found && found->file >= 0) {
        fault_disk *disk = found->disk;
        int fault = disk->is_off ? FAULT_WRITE_ERROR : log_fails(disk, FAULT_WRITE_ERROR);
        /* A short write says so; what follows it finds the disk full, or not. */
        if (fault == FAULT_SHORT_WRITE) count = count > 1 ? count / 2 : count;
        off_t offset = lseek(descriptor, 0, SEEK_CUR);
        if (fault == FAULT_WRITE_ERROR)
            error = EIO;
        else if (fault == FAULT_FULL)
            error = ENOSPC;
        else if (!log_begin(disk, FAULT_WRITE, found->file, (uint64_t)offset, bytes, count))
            error = EIO;
    }
    fault_leave();
    if (!error) return system_function(descriptor, bytes, count);
    errno = error;
    return result;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    SYSTEM(read);
    if (!is_used()) return system_function(descriptor, bytes, count);
    fault_enter();
    struct descriptor *found = known(descriptor);
    int fails = found && (found->disk->is_off || log_fails(found->disk, FAULT_READ_ERROR));
    fault_leave();
    return fails ? failed(EIO) : system_function(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    SYSTEM(pread);
    if (!is_used()) return system_function(descriptor, bytes, count, offset);
    fault_enter();
    struct descriptor *found = known(descriptor);
    int fails = found && (found->disk->is_off || log_fails(found->disk, FAULT_READ_ERROR));
    fault_leave();
    return fails ? failed(EIO) : system_function(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t size) {
    SYSTEM(ftruncate);
    if (!is_used()) return system_function(descriptor, size);
    fault_enter();
    struct descriptor *found = known(descriptor);
    struct stat status;
    int error = 0;
    if (found && found->file >= 0 && fstat(descriptor, &status) == 0 && status.st_size != size) {
        error = refuses_names(found->disk);
        if (!error
            && !log_begin(found->disk, FAULT_TRUNCATE, found->file, (uint64_t)size, NULL, 0))
            error = EIO;
    }
    fault_leave();
    return error ? failed(error) : system_function(descriptor, size);
}

int fsync(int descriptor) {
    SYSTEM(fsync);
    if (!is_used()) return system_function(descriptor);
    fault_enter();
    struct descriptor *found = known(descriptor);
    int is_ours = found != NULL, goes_on = 1, has_failed = 0;
    if (found) {
        fault_disk *disk = found->disk;
        has_failed = disk->is_off || log_fails(disk, FAULT_SYNC_ERROR);
        if (disk->is_off)
            goes_on = 0;
        else if (found->file == FOLDER)
            goes_on = log_begin_name(
                disk, has_failed ? FAULT_LOST_SYNC : FAULT_SYNC_FOLDER, FOLDER, found->name,
                NOTHING);
        else
            goes_on = log_begin(
                disk, has_failed ? FAULT_LOST_SYNC : FAULT_SYNC, found->file, 0, NULL, 0);
    }
    fault_leave();
    if (!is_ours) return system_function(descriptor);
    return goes_on && !has_failed ? 0 : failed(EIO);
}

int rename(const char *from, const char *to) {
    SYSTEM(rename);
    if (!is_used()) return system_function(from, to);
    fault_enter();
    fault_disk *disk = find(from, 0);
    if (!disk || find(to, 0) != disk) {
        fault_leave();
        return named(system_function(from, to));
    }
    int error = refuses_names(disk);
    int result = -1;
    int name = files_path(disk, from), other = files_path(disk, to);
    if (!error && disk->linked[name] == NOTHING) error = ENOENT;
    if (!error && !log_begin_name(disk, FAULT_RENAME, disk->linked[name], name, other)) error = EIO;
    if (!error) {
        result = system_function(from, to);
        error = result == 0 ? 0 : errno;
        disk->linked[other] = disk->linked[name];
        disk->linked[name] = NOTHING;
    }
    fault_leave();
    return error ? failed(error) : result;
}

/* Removes a name, of a file or a folder. */
static int remove_one(int (*system_function)(const char *), const char *path) {
    fault_enter();
    fault_disk *disk = find(path, 0);
    int file = 0;
    /* A database is removed by SQLite, which has said so before, or behind its back. */
    fault_disk *other = disk ? NULL : find_database(path, &file);
    int goes_on = !other || !other->exists[file]
        || (!other->is_off && log_begin(other, FAULT_DELETE, file, 0, NULL, 0));
    if (!disk) {
        fault_leave();
        return goes_on ? named(system_function(path)) : failed(EIO);
    }
    int name = files_path(disk, path);
    int error = disk->is_off ? EIO : disk->linked[name] == NOTHING ? ENOENT : 0;
    /* A folder that is not empty stays: so the system is asked first. */
    if (!error && system_function(path) != 0) error = errno;
    if (!error) {
        if (!log_begin_name(disk, FAULT_DELETE, disk->linked[name], name, NOTHING)) error = EIO;
        disk->linked[name] = NOTHING;
    }
    fault_leave();
    return error ? failed(error) : 0;
}

int unlink(const char *path) {
    SYSTEM(unlink);
    return is_used() ? remove_one(system_function, path) : system_function(path);
}

int rmdir(const char *path) {
    SYSTEM(rmdir);
    return is_used() ? remove_one(system_function, path) : system_function(path);
}

int mkdir(const char *path, mode_t mode) {
    SYSTEM(mkdir);
    if (!is_used()) return system_function(path, mode);
    fault_enter();
    fault_disk *disk = find(path, 0);
    int error = 0;
    if (disk) {
        int name = files_path(disk, path);
        error = disk->is_off ? EIO : disk->linked[name] != NOTHING ? EEXIST : refuses_names(disk);
        if (!error && !log_begin_name(disk, FAULT_FOLDER, FOLDER, name, NOTHING)) error = EIO;
        if (!error) disk->linked[name] = FOLDER;
    }
    fault_leave();
    return error ? failed(error) : system_function(path, mode);
}

#else

void files_forget(fault_disk *disk) { (void)disk; }

#endif
