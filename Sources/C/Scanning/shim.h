#pragma once
#include <stddef.h>

/* The functions of Leptonica 1.82, zbar 0.23 and tesseract 5 that are used. They are declared here, so
   that a machine without the libraries' headers builds everything. `ScanningHeaderTests` compares each
   declaration with the libraries' headers.

   Enumerations are declared as the unsigned integers that they are. */

typedef struct Pix PIX;
typedef struct TessBaseAPI TessBaseAPI;
typedef struct zbar_image_s zbar_image_t;
typedef struct zbar_image_scanner_s zbar_image_scanner_t;
typedef struct zbar_symbol_s zbar_symbol_t;

int setMsgSeverity(int level);
PIX *pixReadMem(const unsigned char *bytes, size_t count);
PIX *pixRemoveAlpha(PIX *picture);
PIX *pixConvertTo8(PIX *picture, int has_colormap);
PIX *pixScale(PIX *picture, float x, float y);
PIX *pixRotateOrth(PIX *picture, int quarters);
PIX *pixRotateAMGray(PIX *picture, float radians, unsigned char ground);
PIX *pixBlockconv(PIX *picture, int columns, int rows);
PIX *pixDeskew(PIX *picture, int reduction);
int pixGetWidth(const PIX *picture);
int pixGetHeight(const PIX *picture);
int pixGetWpl(const PIX *picture);
unsigned *pixGetData(PIX *picture);
void pixDestroy(PIX **picture);

zbar_image_scanner_t *zbar_image_scanner_create(void);
void zbar_image_scanner_destroy(zbar_image_scanner_t *scanner);
int zbar_image_scanner_set_config(
    zbar_image_scanner_t *scanner, unsigned symbology, unsigned setting, int value);
zbar_image_t *zbar_image_create(void);
void zbar_image_destroy(zbar_image_t *image);
void zbar_image_set_format(zbar_image_t *image, unsigned long format);
void zbar_image_set_size(zbar_image_t *image, unsigned width, unsigned height);
void zbar_image_set_data(
    zbar_image_t *image, const void *bytes, unsigned long count,
    void (*release)(zbar_image_t *image));
int zbar_scan_image(zbar_image_scanner_t *scanner, zbar_image_t *image);
const zbar_symbol_t *zbar_image_first_symbol(const zbar_image_t *image);
const zbar_symbol_t *zbar_symbol_next(const zbar_symbol_t *symbol);
const char *zbar_symbol_get_data(const zbar_symbol_t *symbol);
int zbar_symbol_get_quality(const zbar_symbol_t *symbol);

TessBaseAPI *TessBaseAPICreate(void);
void TessBaseAPIDelete(TessBaseAPI *reader);
int TessBaseAPIInit3(TessBaseAPI *reader, const char *data, const char *language);
int TessBaseAPISetVariable(TessBaseAPI *reader, const char *name, const char *value);
void TessBaseAPISetPageSegMode(TessBaseAPI *reader, unsigned mode);
void TessBaseAPISetImage2(TessBaseAPI *reader, PIX *picture);
void TessBaseAPISetSourceResolution(TessBaseAPI *reader, int dots_per_inch);
char *TessBaseAPIGetTsvText(TessBaseAPI *reader, int page);
void TessDeleteText(const char *text);

/* The functions above, looked up in libraries that are opened when they are first needed. */
struct macrolog_leptonica {
    __typeof__(&setMsgSeverity) set_severity;
    __typeof__(&pixReadMem) read;
    __typeof__(&pixRemoveAlpha) remove_alpha;
    __typeof__(&pixConvertTo8) convert_to_8;
    __typeof__(&pixScale) scale;
    __typeof__(&pixRotateOrth) rotate_quarters;
    __typeof__(&pixRotateAMGray) rotate;
    __typeof__(&pixBlockconv) mean;
    __typeof__(&pixDeskew) deskew;
    __typeof__(&pixGetWidth) get_width;
    __typeof__(&pixGetHeight) get_height;
    __typeof__(&pixGetWpl) get_words_per_line;
    __typeof__(&pixGetData) get_data;
    __typeof__(&pixDestroy) destroy;
};

struct macrolog_zbar {
    __typeof__(&zbar_image_scanner_create) scanner_create;
    __typeof__(&zbar_image_scanner_destroy) scanner_destroy;
    __typeof__(&zbar_image_scanner_set_config) set_config;
    __typeof__(&zbar_image_create) image_create;
    __typeof__(&zbar_image_destroy) image_destroy;
    __typeof__(&zbar_image_set_format) set_format;
    __typeof__(&zbar_image_set_size) set_size;
    __typeof__(&zbar_image_set_data) set_data;
    __typeof__(&zbar_scan_image) scan;
    __typeof__(&zbar_image_first_symbol) first_symbol;
    __typeof__(&zbar_symbol_next) next_symbol;
    __typeof__(&zbar_symbol_get_data) get_data;
    __typeof__(&zbar_symbol_get_quality) get_quality;
};

struct macrolog_tesseract {
    __typeof__(&TessBaseAPICreate) create;
    __typeof__(&TessBaseAPIDelete) destroy;
    __typeof__(&TessBaseAPIInit3) start;
    __typeof__(&TessBaseAPISetVariable) set_variable;
    __typeof__(&TessBaseAPISetPageSegMode) set_mode;
    __typeof__(&TessBaseAPISetImage2) set_image;
    __typeof__(&TessBaseAPISetSourceResolution) set_resolution;
    __typeof__(&TessBaseAPIGetTsvText) get_table;
    __typeof__(&TessDeleteText) delete_text;
};
