/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Canvas: characters in their places, whatever is beside it left out, and no blanks at the ends. */

#include "ctl/show/plots/canvas.h"

#include "ctl/model/view.h"
#include "test.h"

static char *printed(const Canvas *canvas, const View *view) {
        char *text;
        size_t n;
        FILE *out = open_memstream(&text, &n);

        assert_non_null(out);
        canvas_print(canvas, view, out);
        fclose(out);
        return text;
}

static Canvas *made(void) {
        Canvas *canvas;

        assert_int_equal(canvas_new(6, 4, &canvas), 0);
        canvas_write(canvas, -1, 0, GRID_PLAIN, "a█b");
        canvas_write(canvas, 4, 0, GRID_GOOD, "µs ab");
        canvas_write_before(canvas, 4, 2, GRID_BAD, "12");
        canvas_put(canvas, 0, 9, GRID_PLAIN, "x");
        canvas_put(canvas, 3, 1, GRID_PLAIN, "x");
        canvas_put(canvas, 3, 1, GRID_PLAIN, " ");
        return canvas;
}

TEST(characters_stand_in_their_places) {
        Canvas *canvas = made();
        char *text = printed(canvas, &(View){});

        assert_string_equal(text, "█b  µs\n\n  12\n");
        free(text);
        canvas_free(canvas);
}

TEST(colours_are_around_what_has_them) {
        Canvas *canvas = made();
        char *text = printed(canvas, &(View){ .color = true });

        assert_string_equal(text, "█b  \033[32mµs\033[0m\n\n  \033[31m12\033[0m\n");
        free(text);
        canvas_free(canvas);
}
